//! The tables that the generator writes, with a module for each target.

// Some sets of targets do not need all of these.
#![allow(clippy::all, unused_imports)]
use super::counters::{Event, Holds, Which};
#[cfg(feature = "fast")]
use super::fast_decode::{
    FastConstraints, FastDecode, FastOpcodeSpace, NO_CONSTRAINTS as NO_FAST_CONSTRAINTS,
    NO_OPCODE_SPACE as NO_FAST_OPCODE_SPACE,
};
use super::hazards::{
    Accessed, ByFile, Certainty, Condition, Differs, Ender, HazardClass, HazardRow, HazardTables, Mode, Overlap,
    RuleInfo, Side, UncheckedInfo, Unit, Upto,
};
use super::sizes::*;
#[cfg(feature = "fast")]
use super::values::value_table::{Values, values};
use super::{
    AddressStep, Announcer, Bits, Check, Codes, Constraints, CountTables, Counter, DataType, DecodeTables, DescTables,
    EntryTables, Extension, FactTables, FieldInfo, FieldMap, FormSignature, Forms, How, HwregField, HwregTables,
    IN_SECOND_DWORD, Ignored, ImmTables, Info, InfoTables, Joined, Layout, LayoutTables, LengthList, LengthTables,
    MessageOperations, MoveTables, NO_OPCODE_SPACE, NO_ROW, NameTables, Named, Only, OpTables, OpcodeSpace,
    OperandDesc, OperandTables, OperationList, Other, Part, PlainWords, Purpose, Row, Rule, SizedOperand, Space,
    Successor, Term, Trailing, When, Wide, padded,
};
#[cfg(feature = "text")]
use super::{AssemblerFacts, MnemonicTable, Names, Open, TextTables};
#[cfg(feature = "fast")]
use super::{Branches, FastOperands, NO_FAST_OPERANDS, VARIED};
#[cfg(all(feature = "text", feature = "fast"))]
use super::{FastModifier, FastSignature, FastText, ModifierWay, NO_FAST, TextKind};
use crate::kind::{
    AddressFields, AddressKind, AddressShape, ImageData, ImageKind, ListStyle, ModifierKind, ModifierList, Notation,
    NumberKind, NumberList, OffsetKind, OperandKind, PartsKind, RegisterKind, Signs,
};
use crate::opcode::{DescriptorPart, Field, Format, Opcode, Special};
use crate::shared::RuleKind;
use crate::value::{Access, Reg};

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
