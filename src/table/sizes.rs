//! The sizes of the tables and the types of their indices, as small as the enabled targets allow; and whether an
//! enabled target needs some code at all.

include!(concat!(env!("OUT_DIR"), "/sizes.rs"));
