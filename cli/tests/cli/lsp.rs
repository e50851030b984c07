//! `lsp`: an editor talks to the server.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use super::tool;

const URI: &str = "file:///nowhere/kernel.s";

/// An editor with one document.
struct Editor {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: i32,
    version: i32,
    uri: String,
    /// Notifications that have arrived while the editor waited for something else.
    arrived: Vec<Value>,
}

impl Editor {
    fn start(args: &[&str]) -> Editor {
        let mut server = tool(&[&["lsp"], args].concat()).spawn().expect("the tool starts");
        let input = server.stdin.take().expect("a pipe");
        let output = BufReader::new(server.stdout.take().expect("a pipe"));
        Editor { server, input, output, requests: 0, version: 0, uri: URI.into(), arrived: Vec::new() }
    }

    /// Starts the server, and opens a document.
    fn open(args: &[&str], capabilities: Value, source: &str) -> Editor {
        let mut editor = Editor::start(args);
        let answer = editor.request("initialize", json!({ "processId": null, "capabilities": capabilities }));
        assert_eq!(answer["result"]["capabilities"]["hoverProvider"], true, "{answer}");
        editor.notify("initialized", json!({}));
        editor.version = 1;
        let document = json!({ "uri": URI, "languageId": "asm", "version": 1, "text": source });
        editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
        editor
    }

    fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    fn send_text(&mut self, body: &str) {
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("text") > 0, "the server has ended");
            match line.trim().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a message");
        serde_json::from_slice(&body).expect("JSON")
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params }));
        loop {
            let answer = self.receive();
            if answer["id"] == self.requests {
                return answer;
            }
            self.arrived.push(answer);
        }
    }

    fn change(&mut self, changes: Value) {
        self.version += 1;
        let document = json!({ "uri": URI, "version": self.version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    fn rewrite(&mut self, source: &str) {
        self.change(json!([{ "text": source }]));
    }

    /// The diagnostics of the newest version.
    fn diagnostics(&mut self) -> Vec<Value> {
        loop {
            let found = self.arrived.iter().find(|message| message["params"]["version"] == self.version);
            if let Some(message) = found {
                return message["params"]["diagnostics"].as_array().expect("a list").clone();
            }
            let message = self.receive();
            self.arrived.push(message);
        }
    }

    /// The answer to a request about a place.
    fn at(&mut self, method: &str, line: usize, character: usize) -> Value {
        let document = json!({ "uri": URI });
        let position = json!({ "line": line, "character": character });
        let context = json!({ "includeDeclaration": true, "triggerKind": 1 });
        let params = json!({ "textDocument": document, "position": position, "context": context });
        self.request(&format!("textDocument/{method}"), params)["result"].clone()
    }

    fn of_document(&mut self, method: &str) -> Value {
        self.request(&format!("textDocument/{method}"), json!({ "textDocument": { "uri": URI } }))["result"].clone()
    }

    fn hover(&mut self, line: usize, character: usize) -> String {
        self.at("hover", line, character)["contents"]["value"].as_str().unwrap_or_default().to_string()
    }

    /// The texts that can complete a line after a source.
    fn completions(&mut self, source: &str, line: &str) -> Vec<String> {
        self.rewrite(&format!("{source}{line}"));
        let context = json!({ "triggerKind": 1 });
        let position = json!({ "line": source.matches('\n').count(), "character": line.encode_utf16().count() });
        let params = json!({ "textDocument": { "uri": URI }, "position": position, "context": context });
        let answer = self.request("textDocument/completion", params);
        let items = answer["result"].as_array().unwrap_or_else(|| panic!("{line}: {answer}"));
        items.iter().map(|item| item["label"].as_str().expect("a text").to_string()).collect()
    }

    /// Ends the server, and returns its exit code.
    fn close(mut self) -> Option<i32> {
        assert_eq!(self.request("shutdown", Value::Null)["result"], Value::Null);
        let late = self.request("textDocument/hover", Value::Null);
        assert_eq!(late["error"]["code"], -32600, "{late}");
        self.leave()
    }

    fn leave(mut self) -> Option<i32> {
        self.notify("exit", Value::Null);
        self.wait()
    }

    fn wait(self) -> Option<i32> {
        drop(self.input);
        let output = self.server.wait_with_output().expect("the server ends");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!error.contains("panicked"), "{error}");
        output.status.code()
    }
}

fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    let position = |(line, character)| json!({ "line": line, "character": character });
    json!({ "start": position(start), "end": position(end) })
}

/// A kernel that uses a value before it is loaded, with comments that are not ASCII.
fn kernel(target: &str, load: &str) -> String {
    format!(
        "\
// Größe 😀
// und noch eine Zeile
.amdgcn_target \"amdgcn-amd-amdhsa--{target}\"
.set size, 4 // é
.type half,@function
half:
  {load} s4, s[0:1], 0x0 // 😀
/* 😀é */ s_and_b32 s5, s4, size
.Lend:
  s_cbranch_scc1 .Lend
  s_endpgm
.size half, .-half
"
    )
}

#[test]
fn findings_of_lint_have_the_lines_of_the_source() {
    for (target, load, wait) in [
        ("gfx942", "s_load_dword", "s_waitcnt lgkmcnt(0)"),
        ("gfx1100", "s_load_b32", "s_waitcnt lgkmcnt(0)"),
        ("gfx1200", "s_load_b32", "s_wait_kmcnt 0x0"),
    ] {
        let source = kernel(target, load);
        // A character beyond 16 bits counts as two in UTF-16.
        for (encoding, first) in [("utf-16", 10), ("utf-8", 13)] {
            let capabilities = json!({ "general": { "positionEncodings": [encoding] } });
            let mut editor = Editor::open(&[], capabilities, &source);
            let found = editor.diagnostics();
            assert_eq!(found.len(), 1, "{target}: {found:?}");
            assert_eq!((&found[0]["code"], &found[0]["severity"]), (&json!("missing-wait"), &json!(1)));
            assert_eq!(found[0]["message"], format!("s4 is used before it is loaded\ninsert `{wait}` before it"));
            assert_eq!(found[0]["range"], range((7, first), (7, first + 22)), "{target} {encoding}");
            let producer = &found[0]["relatedInformation"][0]["location"];
            assert_eq!(producer["range"]["start"], json!({ "line": 6, "character": 2 }));
            let insert = format!("  {wait}\n");
            editor.change(json!([{ "range": range((7, 0), (7, 0)), "text": insert }]));
            assert_eq!(editor.diagnostics(), Vec::<Value>::new(), "{target}");
            assert_eq!(editor.close(), Some(0));
        }
    }
}

#[test]
fn errors_of_the_assembler_have_ranges() {
    for (target, load) in [("gfx942", "s_load_dword"), ("gfx1100", "s_load_b32"), ("gfx1200", "s_load_b32")] {
        let source = kernel(target, load).replace("s_and_b32 s5", "s_and_b33 s5");
        let mut editor = Editor::open(&[], json!({}), &source);
        let found = editor.diagnostics();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0]["range"], range((7, 10), (7, 19)));
        let message = found[0]["message"].as_str().expect("a text");
        assert!(message.starts_with(&format!("unknown mnemonic on {target}")), "{message}");
        // Other lines are explained although one line has an error.
        assert!(editor.hover(6, 4).contains(&format!("{target} SMEM, 8 bytes")), "{}", editor.hover(6, 4));
        editor.change(json!([{ "range": range((7, 18), (7, 19)), "text": "2" }]));
        assert_eq!(editor.diagnostics()[0]["code"], "missing-wait");
        assert_eq!(editor.close(), Some(0));
    }
}

#[test]
fn an_error_in_a_macro_is_at_its_call() {
    let source =
        ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.macro two x\n s_nop \\x\n.endm\n two 1\n  two s0\n s_endpgm\n";
    let mut editor = Editor::open(&[], json!({}), source);
    let found = editor.diagnostics();
    assert_eq!((found.len(), &found[0]["range"]), (1, &range((5, 2), (5, 8))));
    assert!(found[0]["message"].as_str().expect("a text").ends_with("in the macro two, line 1, column 8"), "{found:?}");
    editor.rewrite(&source.replace("s0", "2"));
    assert_eq!(editor.diagnostics(), Vec::<Value>::new());
    assert!(editor.hover(4, 2).contains("s_nop 1"));
    assert_eq!(editor.close(), Some(0));
}

#[test]
fn an_error_in_an_included_file_is_at_the_directive() {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("lsp");
    std::fs::create_dir_all(&directory).expect("a directory");
    std::fs::write(directory.join("part.s"), " s_nop 0\n s_nop é\n").expect("a file");
    let source = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n .include \"part.s\"\n";
    let mut editor = Editor::start(&[]);
    editor.request("initialize", json!({ "capabilities": {} }));
    (editor.version, editor.uri) = (1, format!("file://{}/kernel.s", directory.display()));
    let document = json!({ "uri": editor.uri, "languageId": "asm", "version": 1, "text": source });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let found = editor.diagnostics();
    assert_eq!((found.len(), &found[0]["range"]), (1, &range((1, 1), (1, 18))));
    assert!(found[0]["message"].as_str().expect("a text").ends_with("in part.s, line 2, column 8"), "{found:?}");
    assert_eq!(editor.close(), Some(0));
}

#[test]
fn a_source_without_a_processor_has_one_error() {
    let source = " s_nop 0\n s_endpgm\n";
    let mut editor = Editor::open(&[], json!({}), source);
    let found = editor.diagnostics();
    assert_eq!((found.len(), &found[0]["range"]), (1, &range((0, 1), (0, 8))));
    assert_eq!(editor.close(), Some(0));

    let mut editor = Editor::open(&["--target", "gfx942:xnack-", "--stdio"], json!({}), source);
    assert_eq!(editor.diagnostics(), Vec::<Value>::new());
    assert_eq!(editor.close(), Some(0));

    let mut editor = Editor::start(&[]);
    let options = json!({ "target": "gfx1200", "hints": true, "include": null, "other": 1 });
    editor.request("initialize", json!({ "capabilities": {}, "initializationOptions": options }));
    assert!(editor.arrived[0]["params"]["message"].as_str().expect("a text").contains("\"other\""));
    editor.version = 1;
    let document = json!({ "uri": URI, "languageId": "asm", "version": 1, "text": source });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    assert!(editor.diagnostics().iter().all(|found| found["severity"] == 4), "hints only");
    assert!(editor.hover(0, 3).contains("gfx1200 SOPP"));
    assert_eq!(editor.close(), Some(0));
}

#[test]
fn instructions_and_directives_are_explained() {
    for (target, load, op) in
        [("gfx942", "s_load_dword", "0xc"), ("gfx1100", "s_load_b32", "0x16"), ("gfx1200", "s_load_b32", "0x16")]
    {
        let mut editor = Editor::open(&[], json!({}), &kernel(target, load));
        editor.diagnostics();
        let text = editor.hover(7, 12);
        for part in ["s_and_b32 s5, s4, 4", "`sdst` | written | `s5` | 32", "`implicit` | written | `scc`", "29:23"] {
            assert!(text.contains(part), "{target}: no {part} in\n{text}");
        }
        assert!(text.contains(&format!("| `op` | 29:23 | {op} | `s_and_b32` |")), "{text}");
        assert!(text.contains("**missing-wait**: s4 is used before it is loaded"), "{text}");
        let producer = editor.hover(6, 5);
        assert!(producer.contains("line 8 depends on this: s4 is used"), "{producer}");
        assert!(editor.hover(7, 30).starts_with("value of line 4\n"), "{}", editor.hover(7, 30));
        assert!(editor.hover(2, 3).contains("names the processor"));
        assert_eq!(editor.hover(0, 4), "", "a comment");
        editor.rewrite(&format!(
            ".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"\n.amdhsa_user_sgpr_dispatch_ptr 1\n s_and_b32 s0"
        ));
        let text = editor.hover(1, 3);
        assert!(text.contains("0 to 1, 0 by default. It fills 2 of a wave's"), "{text}");
        let text = editor.hover(2, 3);
        assert!(text.contains("SOP2: s_and_b32 sdst, ssrc0, ssrc1"), "{text}");
        assert_eq!(editor.close(), Some(0));
    }
}

#[test]
fn names_are_completed() {
    let of = |target: &str| format!(".amdgcn_target \"amdgcn-amd-amdhsa--{target}\"\n.set size, 4\nstart: // é\n");
    let cases: &[(&str, &str, &[&str], &[&str])] = &[
        ("gfx942", "  v_ad", &["v_add_f32", "v_mfma_f32_4x4x1_16b_f32"], &["v_add_nc_u32", ".long", "s0"]),
        ("gfx942", "  v_add_f32 v0, ", &["s0", "v255", "vcc_lo", "0.5", "size"], &["a0", "v256", "vcc", "start"]),
        ("gfx942", "  v_add_f32 v0, v1, ", &["v0", "v255"], &["a0"]),
        ("gfx942", "  s_mov_b64 ", &["s[0:1]", "vcc", "exec"], &["s[1:2]", "s0", "v[0:1]", "vcc_lo", "size"]),
        ("gfx942", "  v_add_f64 ", &["v[2:3]"], &["v[1:2]", "v0"]),
        ("gfx942", "  s_getreg_b32 s0, hwreg(HW", &["hwreg(HW_REG_MODE)"], &["hwreg(HW_REG_WAVE_MODE)"]),
        ("gfx942", "  s_waitcnt vmcnt(0) lg", &["lgkmcnt(0)"], &["s0"]),
        ("gfx942", "  s_sendmsg ", &["sendmsg(MSG_INTERRUPT)"], &["sendmsg(MSG_DEALLOC_VGPRS)"]),
        ("gfx942", "  s_sendmsg sendmsg(MSG_GS, ", &["sendmsg(MSG_GS, GS_OP_CUT, 0)"], &["sendmsg(MSG_GS)"]),
        (
            "gfx942",
            "  s_sendmsg sendmsg(MSG_S",
            &["sendmsg(MSG_SYSMSG, SYSMSG_OP_TTRACE_PC)"],
            &["sendmsg(MSG_SYSMSG)"],
        ),
        ("gfx1100", "  s_sendmsg sendmsg(", &["sendmsg(MSG_DEALLOC_VGPRS)"], &["sendmsg(MSG_GS)"]),
        ("gfx1200", "  s_sendmsg_rtn_b32 s0, send", &["sendmsg(MSG_RTN_GET_SE_AID_ID)"], &["s0"]),
        ("gfx942", "  s_set_gpr_idx_on s0, gpr", &["gpr_idx(SRC0)", "gpr_idx(SRC0,DST)"], &["s0"]),
        (
            "gfx942",
            "  tbuffer_load_format_x v0, off, s[0:3], 0 ",
            &["format:[BUF_DATA_FORMAT_8]"],
            &["format:[BUF_FMT_8_UNORM]"],
        ),
        ("gfx1100", "  tbuffer_load_format_x v0, off, s[0:3], 0 ", &["format:[BUF_FMT_8_UNORM]"], &[]),
        ("gfx1030", "  s_waitcnt_depctr ", &["depctr_va_vdst(0)", "depctr_hold_cnt(0)"], &["depctr_va_vdst(1)"]),
        ("gfx942", "  global_load_dword v0, v[2:3], off ", &["offset:1", "sc0", "nt"], &["glc", "v0"]),
        ("gfx942", "  v_pk_fma_f16 v0, v1, v2, v3 op", &["op_sel_hi:[0,0,0]", "neg_lo:[1,0,0]"], &[]),
        ("gfx942", "  v_mov_b32_dpp v0, v1 ", &["quad_perm:[0,1,2,3]", "row_newbcast:0"], &["row_share:0"]),
        ("gfx942", "  .amdhsa_", &[".amdhsa_accum_offset", ".amdhsa_next_free_vgpr"], &["v_add_f32"]),
        ("gfx942", "  s_cbranch_scc0 ", &["start"], &["size"]),
        ("gfx942", " // v_ad", &[], &["v_add_f32"]),
        ("gfx942", " s_nop 0 // é ", &[], &["v_add_f32"]),
        ("gfx942", " /* é */ v_ad", &["v_add_f32"], &[]),
        ("gfx942", " start: v_ad", &["v_add_f32"], &[]),
        ("gfx942", "  .amdgcn_target \"", &["\"amdgcn-amd-amdhsa--gfx1200\""], &[]),
        ("gfx1100", "  .amdhsa_", &[".amdhsa_wavefront_size32"], &[".amdhsa_accum_offset"]),
        ("gfx1100", "  s_waitcnt_depctr ", &["depctr_va_vdst(0)"], &["vmcnt(0)"]),
        ("gfx1100", "  s_delay_alu ", &["instid0(VALU_DEP_1)", "instskip(NEXT)", "instid1(SALU_CYCLE_1)"], &[]),
        ("gfx1100", "  image_load v[0:3], v[4:5], s[0:7] dim", &["dim:SQ_RSRC_IMG_2D"], &[]),
        ("gfx1100", "  v_dual_mul_f32 v0, v1, v2 :: v", &["v_dual_add_f32"], &["v_add_f32"]),
        ("gfx1100", "  exp ", &["mrt0", "pos0"], &["param0"]),
        ("gfx1200", "  global_load_b32 v0, v1, s[0:1] ", &["th:TH_LOAD_NT", "scope:SCOPE_DEV"], &["glc"]),
        ("gfx1200", "  s_wait", &["s_wait_loadcnt", "s_wait_kmcnt"], &["s_wait_tensorcnt"]),
        ("gfx1200", "  s_setreg_b32 ", &["hwreg(HW_REG_WAVE_MODE)"], &["hwreg(HW_REG_MODE)"]),
    ];
    for (target, line, there, not_there) in cases {
        let mut editor = Editor::open(&[], json!({}), "");
        let found = editor.completions(&of(target), line);
        for name in *there {
            assert!(found.contains(&name.to_string()), "{target} {line:?}: no {name} in {found:?}");
        }
        for name in *not_there {
            assert!(!found.contains(&name.to_string()), "{target} {line:?}: {name}");
        }
        assert_eq!(editor.close(), Some(0));
    }
}

#[test]
fn a_completion_replaces_what_is_there() {
    let line = "  s_getreg_b32 s0, hwreg(HW_REG_M)";
    let mut editor = Editor::open(&["--target", "gfx942"], json!({}), line);
    let items = editor.at("completion", 0, line.len() - 1);
    let mode = items.as_array().expect("a list").iter().find(|item| item["label"] == "hwreg(HW_REG_MODE)");
    let edit = &mode.expect("it is there")["textEdit"];
    assert_eq!(edit["range"], range((0, 19), (0, line.len() as u32)));
    assert_eq!(editor.close(), Some(0));
}

#[test]
fn names_lead_to_their_definitions() {
    let source = kernel("gfx1100", "s_load_b32");
    let mut editor = Editor::open(&[], json!({}), &source);
    let at = |line: u32, start, end| json!({ "uri": URI, "range": range((line, start), (line, end)) });
    assert_eq!(editor.at("definition", 9, 20), at(8, 0, 5));
    assert_eq!(editor.at("definition", 11, 7), at(5, 0, 4));
    assert_eq!(editor.at("definition", 7, 29), at(3, 5, 9));
    assert_eq!(editor.at("definition", 7, 12), Value::Null);
    assert_eq!(editor.at("references", 8, 2), json!([at(8, 0, 5), at(9, 17, 22)]));
    assert_eq!(editor.close(), Some(0));
}

#[test]
fn a_document_has_symbols_and_folds() {
    let rest = "\
.rodata
.amdhsa_kernel half
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.macro two
  s_nop 0
  s_nop 1
.endm
";
    for (target, load) in [("gfx942", "s_load_dword"), ("gfx1100", "s_load_b32"), ("gfx1200", "s_load_b32")] {
        let mut editor = Editor::open(&[], json!({}), &(kernel(target, load) + rest));
        let symbols = editor.of_document("documentSymbol");
        let names: Vec<(&str, i64)> = symbols
            .as_array()
            .expect("a list")
            .iter()
            .map(|symbol| (symbol["name"].as_str().expect("a text"), symbol["kind"].as_i64().expect("a number")))
            .collect();
        assert_eq!(names, [("size", 14), ("half", 12), ("half", 23), ("two", 2)]);
        assert_eq!(symbols[1]["children"][0]["name"], ".Lend");
        assert_eq!(symbols[1]["range"], range((5, 0), (11, 18)));
        let folds = editor.of_document("foldingRange");
        let lines: Vec<(&Value, i64, i64)> = folds
            .as_array()
            .expect("a list")
            .iter()
            .map(|fold| {
                let line = |name| fold[name].as_i64().expect("a number");
                (&fold["kind"], line("startLine"), line("endLine"))
            })
            .collect();
        let (comment, region) = (&json!("comment"), &json!("region"));
        assert_eq!(lines, [(comment, 0, 1), (region, 5, 11), (region, 13, 16), (region, 17, 20)]);
        assert_eq!(editor.close(), Some(0));
    }
}

#[test]
fn a_closed_document_is_forgotten() {
    let mut editor = Editor::open(&[], json!({}), "x");
    editor.diagnostics();
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    let answer = editor.request(
        "textDocument/hover",
        json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 0 } }),
    );
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let last = editor.arrived.last().expect("a message");
    assert_eq!(
        (&last["method"], &last["params"]["diagnostics"]),
        (&json!("textDocument/publishDiagnostics"), &json!([]))
    );
    assert_eq!(editor.close(), Some(0));
}

#[test]
fn messages_that_make_no_sense_are_refused() {
    let mut editor = Editor::start(&[]);
    assert_eq!(editor.request("textDocument/hover", json!({}))["error"]["code"], -32002);
    editor.request("initialize", json!({ "capabilities": {} }));
    assert_eq!(editor.request("initialize", json!({ "capabilities": {} }))["error"]["code"], -32600);
    assert_eq!(editor.request("textDocument/nothing", json!({}))["error"]["code"], -32601);
    assert_eq!(editor.request("textDocument/hover", json!([1]))["error"]["code"], -32602);
    for body in ["", "{", "{}", "[1]", "\u{e9}", "{\"jsonrpc\":\"2.0\",\"id\":null}"] {
        editor.send_text(body);
        assert_eq!(editor.receive()["error"]["code"], -32700, "{body}");
    }
    editor.notify("textDocument/didChange", json!({ "textDocument": 1 }));
    editor.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": URI, "version": 1 }, "contentChanges": [] }),
    );
    editor.notify("$/cancelRequest", json!({ "id": 1 }));
    assert_eq!(editor.close(), Some(0));
}

#[test]
fn an_editor_that_leaves_early_is_an_error() {
    let mut editor = Editor::start(&[]);
    editor.request("initialize", json!({ "capabilities": {} }));
    assert_eq!(editor.leave(), Some(1));
    assert_eq!(Editor::start(&[]).leave(), Some(1));
    assert_eq!(Editor::start(&[]).wait(), Some(1));
    let mut editor = Editor::start(&[]);
    editor.input.write_all(b"Content-Length: 99999999999999999999\r\n\r\n").expect("the server reads");
    assert_eq!(editor.wait(), Some(1));
    let mut editor = Editor::start(&[]);
    editor.input.write_all(b"Content-Length: 1000000000\r\n\r\n{").expect("the server reads");
    assert_eq!(editor.wait(), Some(1));
}

/// Sources that are cut off at many places, with questions about their ends.
#[test]
fn no_source_is_too_broken() {
    let source =
        kernel("gfx1100", "s_load_b32") + ".macro m \\x\n.amdhsa_kernel\n v_dual_mul_f32 v0, v1, v2 ::\n s_nop (\n";
    let mut editor = Editor::open(&["--target", "gfx1100"], json!({}), "");
    let ends = source.char_indices().map(|(at, _)| at).step_by(11);
    for end in ends {
        let text = &source[..end];
        editor.rewrite(text);
        let (line, character) = (text.matches('\n').count(), end - text.rfind('\n').map_or(0, |at| at + 1));
        for method in ["hover", "completion", "definition", "references"] {
            editor.at(method, line, character);
        }
        for method in ["documentSymbol", "foldingRange"] {
            editor.of_document(method);
        }
    }
    editor.diagnostics();
    assert_eq!(editor.close(), Some(0));
}

/// A long source changes many times. Only some versions are analyzed, and requests are answered meanwhile.
#[test]
fn only_the_newest_version_of_a_long_source_matters() {
    let head = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.type k,@function\nk:\n";
    let source = head.to_string() + &" v_add_f32 v0, v1, v2\n".repeat(20_000) + " s_endpgm\n";
    let mut editor = Editor::open(&[], json!({}), &source);
    for _ in 0..40 {
        editor.change(json!([{ "range": range((3, 0), (3, 0)), "text": " s_nop 0\n" }]));
    }
    assert!(editor.hover(3, 3).contains("s_nop 0"));
    assert_eq!(editor.diagnostics(), Vec::<Value>::new());
    let looked_at = editor.arrived.iter().filter(|message| message["params"]["version"].is_number()).count();
    assert!(looked_at < 20, "{looked_at}");
    assert_eq!(editor.close(), Some(0));
}
