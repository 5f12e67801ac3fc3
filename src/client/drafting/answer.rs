//! Reads the output of an AI CLI: its text and cost, or why there is none.

use serde_json::Value;

use crate::client::target::Shape;

#[derive(Debug, Clone, Copy, Default)]
pub struct Output<'a> {
    pub success: bool,
    pub stdout: &'a str,
    pub stderr: &'a str,
    /// The file with its last message, if any.
    pub last: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub text: String,
    /// The cost reported by the CLI, in US dollars.
    pub cost: Option<f64>,
}

/// Reads an answer of this shape. Errors: why there is no answer, in the CLI's own words if any, which are untrusted.
pub fn read(shape: Shape, output: &Output<'_>) -> Result<Answer, String> {
    let answer = match shape {
        Shape::ResultObject => result(object(output.stdout).as_ref(), output),
        Shape::ResultList => {
            let list = serde_json::from_str::<Vec<Value>>(output.stdout.trim()).unwrap_or_default();
            result(list.iter().rev().find(|message| message["type"] == "result"), output)
        }
        Shape::ResponseObject => response(output),
        Shape::LastFile => last_file(output),
        Shape::TextEvents => text_events(output),
        Shape::Plain if output.success => Ok(Answer { text: output.stdout.to_owned(), cost: None }),
        Shape::Plain => Err(complaint(output)),
    }
    .map_err(|why| readable(&why))?;
    if answer.text.trim().is_empty() { Err("it answered nothing".into()) } else { Ok(answer) }
}

fn result(object: Option<&Value>, output: &Output<'_>) -> Result<Answer, String> {
    let Some(object) = object else { return Err(complaint(output)) };
    let failed = object["is_error"] == true || object["subtype"].as_str().is_some_and(|kind| kind.starts_with("error"));
    match object["result"].as_str() {
        Some(text) if output.success && !failed => {
            Ok(Answer { text: text.to_owned(), cost: object["total_cost_usd"].as_f64() })
        }
        Some(said) if !said.trim().is_empty() => Err(said.to_owned()),
        _ => Err(message(&object["error"]).unwrap_or_else(|| complaint(output))),
    }
}

fn response(output: &Output<'_>) -> Result<Answer, String> {
    let answer = object(output.stdout);
    if let (true, Some(text)) = (output.success, answer.as_ref().and_then(|answer| answer["response"].as_str())) {
        return Ok(Answer { text: text.to_owned(), cost: None });
    }
    let failure = object(output.stderr).or(answer);
    Err(failure.and_then(|failure| message(&failure["error"])).unwrap_or_else(|| complaint(output)))
}

fn last_file(output: &Output<'_>) -> Result<Answer, String> {
    if let (true, Some(text)) = (output.success, output.last) {
        return Ok(Answer { text: text.to_owned(), cost: None });
    }
    let said = events(output.stdout).filter_map(|event| match event["type"].as_str() {
        Some("error") => event["message"].as_str().map(str::to_owned),
        Some("turn.failed") => message(&event["error"]),
        _ => None,
    });
    Err(said.last().unwrap_or_else(|| complaint(output)))
}

fn text_events(output: &Output<'_>) -> Result<Answer, String> {
    let (mut text, mut cost) = (String::new(), None);
    for event in events(output.stdout) {
        match event["type"].as_str() {
            Some("error") => return Err(message(&event["error"]).unwrap_or_else(|| complaint(output))),
            Some("text") => text.push_str(event["part"]["text"].as_str().unwrap_or_default()),
            Some("step_finish") => {
                if let Some(step) = event["part"]["cost"].as_f64() {
                    cost = Some(cost.unwrap_or(0.0) + step);
                }
            }
            _ => {}
        }
    }
    if output.success { Ok(Answer { text, cost }) } else { Err(complaint(output)) }
}

/// The JSON lines of an output; other lines are skipped.
fn events(text: &str) -> impl Iterator<Item = Value> {
    text.lines().filter_map(|line| serde_json::from_str(line.trim()).ok())
}

/// The JSON object that is the output, or its end after other lines.
fn object(text: &str) -> Option<Value> {
    let begins = std::iter::once(0).chain(text.match_indices("\n{").map(|(at, _)| at + 1));
    let parsed = begins.filter_map(|at| serde_json::from_str::<Value>(text.get(at..)?.trim()).ok());
    parsed.into_iter().find(Value::is_object)
}

fn message(error: &Value) -> Option<String> {
    let said = error["message"].as_str().or_else(|| error["data"]["message"].as_str());
    said.or_else(|| error["name"].as_str()).or_else(|| error.as_str()).map(str::to_owned)
}

fn complaint(output: &Output<'_>) -> String {
    let otherwise = if output.success { "its answer cannot be read" } else { "it failed without a message" };
    let of_stdout = || if output.success { None } else { said_of_failure(output.stdout) };
    said_of_failure(output.stderr).or_else(of_stdout).unwrap_or_else(|| otherwise.into())
}

/// List and failure marks at the beginning of lines.
const SIGNS: &[char] =
    &[' ', '-', '*', '>', '\u{2022}', '\u{25cf}', '\u{2717}', '\u{2718}', '\u{2716}', '\u{d7}', '\u{26a0}', '\u{fe0f}'];

/// Words in the line that says what failed. Later lines are usually advice.
const FAILURES: &[&str] = &[
    "error", "fail", "unauthorized", "unauthenticated", "forbidden", "denied", "refused", "invalid", "expired",
    "not logged in", "no authentication", "quota", "rate limit", "limit reached", "timed out", "401", "403", "429",
];

/// The line of a program's output that says why it failed: the first that mentions an error, else the last.
pub fn said_of_failure(text: &str) -> Option<String> {
    let lines = || text.lines().map(|line| line.trim_matches(SIGNS)).filter(|line| !line.is_empty());
    let fails = |line: &&str| {
        let lower = line.to_lowercase();
        FAILURES.iter().any(|word| lower.contains(word))
    };
    lines().find(fails).or_else(|| lines().next_back()).map(str::to_owned)
}

/// The line with a JSON object in it replaced by the object's message.
fn readable(said: &str) -> String {
    let object = said.find('{').and_then(|at| {
        let (before, json) = said.split_at(at);
        let mut values = serde_json::Deserializer::from_str(json).into_iter::<Value>();
        let value = values.next()?.ok()?;
        let behind = json.get(values.byte_offset()..)?;
        let said = message(&value["error"]).or_else(|| message(&value))?;
        Some(format!("{before}{said}{behind}"))
    });
    object.unwrap_or_else(|| said.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(stdout: &str) -> Output<'_> {
        Output { success: true, stdout, ..Output::default() }
    }

    fn bad<'a>(stdout: &'a str, stderr: &'a str) -> Output<'a> {
        Output { success: false, stdout, stderr, last: None }
    }

    fn text(shape: Shape, output: &Output<'_>) -> Result<String, String> {
        read(shape, output).map(|answer| answer.text)
    }

    #[test]
    fn each_shape_of_success_is_read() {
        let claude = r#"{"type":"result","subtype":"success","is_error":false,"result":"body","total_cost_usd":0.25}"#;
        assert_eq!(read(Shape::ResultObject, &good(claude)), Ok(Answer { text: "body".into(), cost: Some(0.25) }));
        assert_eq!(text(Shape::ResultObject, &good(&format!("a note\n{claude}\n"))), Ok("body".into()));
        let qwen = r#"[{"type":"system"},{"type":"result","subtype":"success","is_error":false,"result":"body"}]"#;
        assert_eq!(text(Shape::ResultList, &good(qwen)), Ok("body".into()));
        let gemini = "{\n  \"session_id\": \"x\",\n  \"response\": \"body\",\n  \"stats\": {}\n}\n";
        assert_eq!(text(Shape::ResponseObject, &good(gemini)), Ok("body".into()));
        let codex = Output { last: Some("body"), ..good("{\"type\":\"turn.completed\",\"usage\":{}}\n") };
        assert_eq!(text(Shape::LastFile, &codex), Ok("body".into()));
        let opencode = "{\"type\":\"step_start\"}\n{\"type\":\"text\",\"part\":{\"text\":\"bo\"}}\n\
            {\"type\":\"text\",\"part\":{\"text\":\"dy\"}}\n{\"type\":\"step_finish\",\"part\":{\"cost\":0.5}}\n";
        let read_one = read(Shape::TextEvents, &good(opencode));
        assert_eq!(read_one, Ok(Answer { text: "body".into(), cost: Some(0.5) }));
        assert_eq!(text(Shape::Plain, &good("body")), Ok("body".into()));
    }

    #[test]
    fn each_shape_of_failure_is_told_in_the_clis_words() {
        let claude = r#"{"type":"result","subtype":"success","is_error":true,"result":"Not logged in"}"#;
        let gemini = "a warning\n{\n \"error\": {\"type\": \"Error\", \"message\": \"quota\", \"code\": 41}\n}\n";
        let codex =
            "{\"type\":\"error\",\"message\":\"retry\"}\n{\"type\":\"turn.failed\",\"error\":{\"message\":\"401\"}}\n";
        let opencode = r#"{"type":"error","error":{"name":"APIError","data":{"message":"429","statusCode":429}}}"#;
        let qwen =
            r#"[{"type":"result","subtype":"error_during_execution","is_error":true,"error":{"message":"no auth"}}]"#;
        let refused = r#"{"is_error":true,"result":"API Error: 401 {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"invalid x-api-key\"}}"}"#;
        let copilot = "Error: Authentication failed (Request ID: 1)\n\nTo resolve this:\n  \u{2022} Run '/login'\n  \u{2022} Verify your subscription\n";
        let refused_key = "starting\n\n  \u{2022} the key was refused\n  \u{2022} log in\n";
        for (shape, output, said) in [
            (Shape::ResultObject, bad(claude, ""), "Not logged in"),
            (Shape::ResultObject, bad("", "one\nkey missing\n"), "key missing"),
            (Shape::ResultObject, good("not JSON"), "its answer cannot be read"),
            (Shape::ResponseObject, bad("", gemini), "quota"),
            (Shape::LastFile, bad(codex, ""), "401"),
            (Shape::LastFile, good(""), "its answer cannot be read"),
            (Shape::TextEvents, good(opencode), "429"),
            (Shape::ResultList, bad(qwen, ""), "no auth"),
            (Shape::ResultList, good("[]"), "its answer cannot be read"),
            (Shape::ResultObject, bad(refused, ""), "API Error: 401 invalid x-api-key"),
            (Shape::Plain, bad("", "No authentication"), "No authentication"),
            (Shape::Plain, bad("", copilot), "Error: Authentication failed (Request ID: 1)"),
            (Shape::Plain, bad("", refused_key), "the key was refused"),
            (Shape::Plain, bad("", ""), "it failed without a message"),
            (Shape::Plain, good(" \n"), "it answered nothing"),
        ] {
            assert_eq!(text(shape, &output), Err(said.to_owned()), "{shape:?}");
        }
    }
}
