use amdgpu_isa::*;
fn main(){ let c=std::fs::read("benches/gfx942.bin").unwrap(); let mut m=std::collections::HashMap::new(); let (mut n,mut e)=(0,0); for (_,i) in Decoder::new(Target::Gfx942,&c){ n+=1; if let Err(x)=i {e+=1; *m.entry(format!("{:?}",x.error)).or_insert(0)+=1;} } println!("{n} {e} {m:?}");
 }
