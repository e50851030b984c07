//! What must hold of the tables as a whole, whatever the target. What depends on a target is checked in `lower`.

use crate::build::emit::FLAGS;
use crate::build::error::{Place, Result};
use crate::build::model::*;

/// What a kind can be read as: the variants of `Kind` in src/table.rs.
const READERS: &str = "\
    code agpr acc sdwa_src buf_data sdst_or_vcc vcc buf_vaddr global_addr \
    scratch_addr saddr smem_offset literal hex int16 endpgm label hwreg \
    sendmsg waitcnt gpr_idx none list list_neg_lo list_neg list_ones flag \
    omod named signed sdwa_sel dst_unused dpp_ctrl dpp_bound dpp_mask swizzle \
    mtbuf_format smrd_offset attr interp_param exp_tgt exp_src dmask mimg_data mimg_gather \
    mimg_atomic mimg_cmpswap list_all";

/// Registers that a row may read or write without a field: `Reg` in src/operand.rs.
pub const IMPLICIT: [&str; 8] = ["scc", "vcc", "exec", "m0", "mode", "flat_scr", "xnack", "trapsts"];

pub fn all(isa: &Isa) -> Result<()> {
    targets(isa)?;
    codes(isa)?;
    kinds(isa)?;
    enums(isa)?;
    formats(isa)
}

/// Fails at the second of two equal names.
fn unique<'a>(names: impl Iterator<Item = (&'a Place, &'a str)>, what: &str) -> Result<()> {
    let mut seen: Vec<&str> = Vec::new();
    for (at, name) in names {
        if seen.contains(&name) {
            return at.err(format!("{what} {name} stands twice"));
        }
        seen.push(name);
    }
    Ok(())
}

fn targets(isa: &Isa) -> Result<()> {
    let names =
        isa.targets.iter().flat_map(|t| std::iter::once(&t.name).chain(&t.aliases).map(|n| (&t.at, n.as_str())));
    unique(names, "target name")?;
    for t in &isa.targets {
        if let Some(x) = t.traits.iter().find(|x| *x != "unpacked-d16") {
            return t.at.err(format!("unknown trait {x}"));
        }
    }
    let columns = isa.formats.iter().flat_map(|f| &f.fields).flat_map(|f| f.bits.columns.iter().map(|c| (&f.at, c)));
    for (at, column) in columns {
        if !isa.targets.iter().any(|t| &t.name == column) {
            return at.err(format!("column {column} is no target"));
        }
    }
    Ok(())
}

fn codes(isa: &Isa) -> Result<()> {
    for t in &isa.targets {
        let mut taken = [false; 512];
        // `off` is another reading of a code, and lies over it.
        for code in isa.codes.iter().filter(|c| c.class != "off") {
            let Some(&(a, b)) = code.range.of(&t.name) else { continue };
            for c in a..=b {
                if std::mem::replace(&mut taken[usize::from(c)], true) {
                    return code.at.err(format!("code {c} has two names on {}", t.name));
                }
            }
        }
    }
    Ok(())
}

fn kinds(isa: &Isa) -> Result<()> {
    unique(isa.kinds.iter().map(|k| (&k.at, k.name.as_str())), "kind")?;
    for k in &isa.kinds {
        if !READERS.split(' ').any(|r| r == k.reads_as) {
            return k.at.err(format!("kind {} is read as `{}`, which the library does not know", k.name, k.reads_as));
        }
        for class in k.takes.iter().filter(|c| !c.starts_with(|c: char| c.is_ascii_digit())) {
            if let Some(name) = class.strip_prefix("enum:") {
                if !isa.enums.iter().any(|e| e.name == name) {
                    return k.at.err(format!("kind {} takes the values of {name}, which is no enum", k.name));
                }
                continue;
            }
            if !isa.codes.iter().any(|c| &c.class == class) {
                return k.at.err(format!("kind {} takes `{class}`, which is no class of codes", k.name));
            }
        }
    }
    Ok(())
}

fn enums(isa: &Isa) -> Result<()> {
    unique(isa.enums.iter().map(|e| (&e.at, e.name.as_str())), "enum")?;
    for e in &isa.enums {
        if e.values.is_empty() {
            return e.at.err(format!("enum {} has no values", e.name));
        }
        unique(e.values.iter().map(|v| (&v.at, v.name.as_str())), "value")?;
        for t in &isa.targets {
            let cells = e.values.iter().filter_map(|v| v.value.of(&t.name).map(|c| (&v.at, c.as_str())));
            unique(cells, "number")?;
        }
    }
    Ok(())
}

fn formats(isa: &Isa) -> Result<()> {
    unique(isa.formats.iter().map(|f| (&f.at, f.name.as_str())), "format")?;
    for f in &isa.formats {
        if f.about.is_empty() || f.source.is_empty() {
            return f.at.err(format!("format {} lacks an `about` or a `source` line", f.name));
        }
        for r in &f.replaces {
            if !isa.kinds.iter().any(|k| k.name == r.kind) {
                return r.at.err(format!("unknown kind `{}`", r.kind));
            }
        }
        for row in &f.rows {
            if let Some(flag) = row.flags.iter().find(|x| !FLAGS.contains(&x.as_str())) {
                return row.at.err(format!("unknown flag `{flag}`"));
            }
            if let Some(reg) = row.reads.iter().chain(&row.writes).find(|x| !IMPLICIT.contains(&x.as_str())) {
                return row.at.err(format!("unknown implicit register `{reg}`"));
            }
        }
    }
    Ok(())
}
