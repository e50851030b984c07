//! Arguments of kernels, and their places in memory.

/// An argument of a kernel.
///
/// An argument begins at the first multiple of its alignment after the argument before it, like fields of a C struct.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::kernel::{Access, Argument};
/// let arguments = [
///     Argument::buffer().named("out").of_type("float*").restrict().actual_access(Access::Write),
///     Argument::of::<u32>().named("count"),
///     Argument::value(16, 16).named("origin").of_type("float3"),
///     Argument::local(16).named("tile"),
/// ];
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Argument<'a> {
    pub(super) kind: Kind,
    pub(super) size: u32,
    pub(super) align: u32,
    pub(super) pointee_align: Option<u32>,
    pub(super) name: Option<&'a str>,
    pub(super) type_name: Option<&'a str>,
    pub(super) access: Option<Access>,
    pub(super) actual_access: Option<Access>,
    pub(super) is_const: bool,
    pub(super) is_restrict: bool,
    pub(super) is_volatile: bool,
}

/// The kind of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Value,
    Buffer,
    Constant,
    Local,
    Image,
    Sampler,
    Pipe,
    Queue,
}

/// The access of a kernel to the memory, image or pipe of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Only read access.
    Read,
    /// Only write access.
    Write,
    /// Read and write access.
    ReadWrite,
}

impl Access {
    pub(super) fn name(self) -> &'static str {
        match self {
            Access::Read => "read_only",
            Access::Write => "write_only",
            Access::ReadWrite => "read_write",
        }
    }
}

impl Kind {
    /// The value of the metadata key `.value_kind`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Value => "by_value",
            Kind::Buffer | Kind::Constant => "global_buffer",
            Kind::Local => "dynamic_shared_pointer",
            Kind::Image => "image",
            Kind::Sampler => "sampler",
            Kind::Pipe => "pipe",
            Kind::Queue => "queue",
        }
    }

    /// The value of the metadata key `.address_space`, if the argument has the key.
    pub(super) fn address_space(self) -> Option<&'static str> {
        match self {
            Kind::Buffer => Some("global"),
            Kind::Constant => Some("constant"),
            Kind::Local => Some("local"),
            _ => None,
        }
    }
}

impl<'a> Argument<'a> {
    /// The alignment of the memory in which runtimes pass arguments: a page.
    const MOST_ALIGN: u32 = 4096;

    const fn new(kind: Kind, size: u32, align: u32) -> Argument<'a> {
        Argument {
            kind,
            size,
            align,
            pointee_align: None,
            name: None,
            type_name: None,
            access: None,
            actual_access: None,
            is_const: false,
            is_restrict: false,
            is_volatile: false,
        }
    }

    /// The address of memory that all lanes can access: 8 bytes.
    pub const fn buffer() -> Argument<'a> {
        Argument::new(Kind::Buffer, 8, 8)
    }

    /// The address of memory that no kernel writes, in OpenCL's `constant` address space: 8 bytes.
    pub const fn constant() -> Argument<'a> {
        Argument::new(Kind::Constant, 8, 8)
    }

    /// A value with this number of bytes, at least one, at a multiple of `align` bytes. The alignment must be a power
    /// of two up to 4096.
    ///
    /// A struct of three `float`s is `value(12, 4)`, one of three `double`s `value(24, 8)`, and a `float3` of OpenCL C
    /// `value(16, 16)`.
    pub const fn value(size: u32, align: u32) -> Argument<'a> {
        Argument::new(Kind::Value, size, align)
    }

    /// A value that has the size and the alignment of a Rust type, for example of a `repr(C)` struct.
    pub const fn of<T>() -> Argument<'a> {
        // A type whose size needs more than 32 bits becomes an argument that no file can hold.
        let size = size_of::<T>();
        let size = if size > u32::MAX as usize { u32::MAX } else { size as u32 };
        Argument::new(Kind::Value, size, align_of::<T>() as u32)
    }

    /// The address of LDS whose size the host states at each launch: 4 bytes. The memory begins at a multiple of
    /// `align` bytes, which must be a power of two.
    pub const fn local(align: u32) -> Argument<'a> {
        Argument { pointee_align: Some(align), ..Argument::new(Kind::Local, 4, 4) }
    }

    /// The address of the descriptor of an image: 8 bytes.
    pub const fn image() -> Argument<'a> {
        Argument::new(Kind::Image, 8, 8)
    }

    /// The address of the descriptor of a sampler: 8 bytes.
    pub const fn sampler() -> Argument<'a> {
        Argument::new(Kind::Sampler, 8, 8)
    }

    /// The address of an OpenCL pipe: 8 bytes.
    pub const fn pipe() -> Argument<'a> {
        Argument::new(Kind::Pipe, 8, 8)
    }

    /// The address of an OpenCL device queue: 8 bytes.
    pub const fn queue() -> Argument<'a> {
        Argument::new(Kind::Queue, 8, 8)
    }

    /// States the argument's name in the source.
    pub const fn named(self, name: &'a str) -> Argument<'a> {
        Argument { name: Some(name), ..self }
    }

    /// States the argument's type in the source.
    pub const fn of_type(self, name: &'a str) -> Argument<'a> {
        Argument { type_name: Some(name), ..self }
    }

    /// States the access that the source declares for an image or a pipe.
    pub const fn access(self, access: Access) -> Argument<'a> {
        Argument { access: Some(access), ..self }
    }

    /// States the access that the code really makes. The runtime may rely on this statement.
    pub const fn actual_access(self, access: Access) -> Argument<'a> {
        Argument { actual_access: Some(access), ..self }
    }

    /// States that the source declares the memory `const`.
    pub const fn constant_data(self) -> Argument<'a> {
        Argument { is_const: true, ..self }
    }

    /// States that the source declares the pointer `restrict`.
    pub const fn restrict(self) -> Argument<'a> {
        Argument { is_restrict: true, ..self }
    }

    /// States that the source declares the memory `volatile`.
    pub const fn volatile(self) -> Argument<'a> {
        Argument { is_volatile: true, ..self }
    }

    /// Whether the alignments of the argument and of the LDS that it points to are powers of two.
    pub(super) fn is_aligned(&self) -> bool {
        self.align.is_power_of_two()
            && self.align <= Self::MOST_ALIGN
            && self.pointee_align.is_none_or(u32::is_power_of_two)
    }
}

/// Declares [`Hidden`]: each row has a description, the distance in bytes from the first hidden argument, the size in
/// bytes, and the name in metadata.
macro_rules! hidden {
    ($(#[$about:meta])* enum Hidden {
        $($(#[$of:meta])* $variant:ident = $offset:literal, $size:literal, $name:literal;)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Hidden {
            $($(#[$of])* $variant,)*
        }

        impl Hidden {
            /// All hidden arguments, by offset.
            pub const ALL: [Hidden; [$($size),*].len()] = [$(Hidden::$variant),*];

            const fn place(self) -> (u32, u32, &'static str) {
                match self {
                    $(Hidden::$variant => ($offset, $size, $name),)*
                }
            }
        }
    };
}

hidden! {
    /// A value that the runtime passes to a kernel after its arguments.
    ///
    /// The values take 256 bytes, which begin at the first multiple of 8 after a kernel's arguments. Each value has a
    /// fixed place in these bytes ([`Hidden::offset`]). The runtime fills in the values that the metadata list. Source:
    /// LLVM's AMDGPU usage guide, code objects of version 5.
    enum Hidden {
        /// The number of whole workgroups in x.
        BlockCountX = 0, 4, "hidden_block_count_x";
        /// The number of whole workgroups in y.
        BlockCountY = 4, 4, "hidden_block_count_y";
        /// The number of whole workgroups in z.
        BlockCountZ = 8, 4, "hidden_block_count_z";
        /// The lanes of a whole workgroup in x.
        GroupSizeX = 12, 2, "hidden_group_size_x";
        /// The lanes of a whole workgroup in y.
        GroupSizeY = 14, 2, "hidden_group_size_y";
        /// The lanes of a whole workgroup in z.
        GroupSizeZ = 16, 2, "hidden_group_size_z";
        /// The lanes in x of the last workgroup if it is not whole, otherwise 0.
        RemainderX = 18, 2, "hidden_remainder_x";
        /// The lanes in y of the last workgroup if it is not whole, otherwise 0.
        RemainderY = 20, 2, "hidden_remainder_y";
        /// The lanes in z of the last workgroup if it is not whole, otherwise 0.
        RemainderZ = 22, 2, "hidden_remainder_z";
        /// OpenCL's global offset in x.
        GlobalOffsetX = 40, 8, "hidden_global_offset_x";
        /// OpenCL's global offset in y.
        GlobalOffsetY = 48, 8, "hidden_global_offset_y";
        /// OpenCL's global offset in z.
        GlobalOffsetZ = 56, 8, "hidden_global_offset_z";
        /// The number of dimensions of the grid.
        GridDims = 64, 2, "hidden_grid_dims";
        /// The address of the buffer of `printf`.
        PrintfBuffer = 72, 8, "hidden_printf_buffer";
        /// The address of the buffer for calls of host functions.
        HostcallBuffer = 80, 8, "hidden_hostcall_buffer";
        /// The address of the data that kernels on several devices synchronize with.
        MultigridSyncArg = 88, 8, "hidden_multigrid_sync_arg";
        /// The address of the heap for `malloc` on the device.
        HeapV1 = 96, 8, "hidden_heap_v1";
        /// The address of OpenCL's default device queue.
        DefaultQueue = 104, 8, "hidden_default_queue";
        /// The address of the data that links kernels of device queues to the kernel that enqueued them.
        CompletionAction = 112, 8, "hidden_completion_action";
        /// The number of bytes of LDS that the host requested at the launch.
        DynamicLdsSize = 120, 4, "hidden_dynamic_lds_size";
        /// The high half of the addresses at which scratch memory is seen as flat memory.
        PrivateBase = 192, 4, "hidden_private_base";
        /// The high half of the addresses at which LDS is seen as flat memory.
        SharedBase = 196, 4, "hidden_shared_base";
        /// The address of the queue that the kernel was launched in.
        QueuePtr = 200, 8, "hidden_queue_ptr";
    }
}

impl Hidden {
    /// The hidden arguments that describe the grid: numbers and sizes of workgroups, offsets, dimensions. Compilers
    /// list all of these for a kernel that reads any hidden argument.
    pub const GRID: &'static [Hidden] = Hidden::ALL.split_at(13).0;

    /// The alignment in bytes of the first hidden argument.
    pub(super) const ALIGN: u32 = 8;
    /// The number of bytes of all hidden arguments, with reserved bytes.
    pub(super) const SIZE: u32 = 4 * 64;

    /// The distance in bytes from the first hidden argument.
    pub const fn offset(self) -> u32 {
        self.place().0
    }

    /// The size in bytes.
    pub const fn size(self) -> u32 {
        self.place().1
    }

    /// The value of the metadata key `.value_kind`, such as `hidden_grid_dims`.
    pub const fn name(self) -> &'static str {
        self.place().2
    }
}
