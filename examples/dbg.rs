fn main() {
    let mut a = std::env::args().skip(1);
    let t: amdgpu_isa::Target = a.next().unwrap().parse().unwrap();
    for l in a {
        println!("{l}: {:x?}", amdgpu_isa::parse(t, &l).map(|i| (i.to_string(), i.words().to_vec())));
    }
}
