//! The example of docs/meaning.md.

use amdgpu_eval::{EvalError, Evaluator, Wave};
use amdgpu_isa::{Reg, Target, decode_words};

#[test]
fn the_example_of_the_book_is_right() {
    let words = [0xd503_0002, 0x4002_0300]; // v_add_f32_e64 v2, v0, -v1
    let add = decode_words(Target::Gfx1100, &words).unwrap();
    let mut wave = Wave::default();
    wave.exec = 0b01;
    wave.mode.set("round", "up").unwrap();
    for lane in [0, 1] {
        wave.write(Reg::Vgpr(0), 0, lane, 1.0f32.to_bits());
        wave.write(Reg::Vgpr(1), 0, lane, (-2.0f32.powi(-30)).to_bits());
    }
    let mut evaluator = Evaluator::default();
    evaluator.run(&add, &mut wave).unwrap();
    assert_eq!(wave.read(Reg::Vgpr(2), 0, 0), Some(0x3f80_0001)); // the next number above 1.0
    assert_eq!(wave.read(Reg::Vgpr(2), 0, 1), Some(0)); // the lane is off

    let load = decode_words(Target::Gfx1100, &[0xdc52_0000, 0x0100_0001]).unwrap(); // global_load_b32 v1, v1, s[0:1]
    assert_eq!(evaluator.run(&load, &mut wave), Err(EvalError::Memory));
}
