import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NoTask, TaskText } from "./task-text.ts";

const task = (...lines: readonly string[]): Buffer =>
  Buffer.from(["---", "id: TASK-1", "title: One", ...lines, "---", "", "body", ""].join("\n"));
const changed = (bytes: Buffer, status: string | null, labels: readonly string[]): string =>
  new TaskText(bytes).with(status, labels).toString("utf8");

describe("the text of a task", () => {
  it.each([
    [["status: To Do"], ["status: Done"]],
    [["status:   'To Do'   # why"], ["status:   'Done'   # why"]],
    [['status: "To Do"'], ['status: "Done"']],
    [["status:"], ["status: Done"]],
    [["status: ~ # none"], ["status: Done # none"]],
    [
      ["status: >-", "  To Do", "x: 1"],
      ["status: Done", "x: 1"],
    ],
    [["x: 1"], ["status: Done", "x: 1"]],
  ])("exchanges the status alone: %j", (before, after) => {
    expect(changed(task(...before), "Done", [])).toBe(task(...after).toString());
  });

  it.each([
    [["labels: []"], ["labels: [a, 'workflow:X']"]],
    [["labels: ['b', a] # c"], ["labels: [a, 'workflow:X'] # c"]],
    [
      ["labels:", "  - a # first", "  # below", "  - b", "x: 1"],
      ["labels:", "  - a # first", "  # below", "  - 'workflow:X'", "x: 1"],
    ],
    [
      ["labels: # list", "- 'b'", '- "a"'],
      ["labels: # list", '- "a"', "- 'workflow:X'"],
    ],
    [["labels:"], ["labels:", "  - a", "  - 'workflow:X'"]],
    [["labels: b"], ["labels:", "  - a", "  - 'workflow:X'"]],
    [
      ["labels: [", "  b,", "  c", "]", "x: 1"],
      ["labels: [a, 'workflow:X']", "x: 1"],
    ],
  ])("exchanges labels alone: %j", (before, after) => {
    expect(changed(task(...before), null, ["a", "workflow:X"])).toBe(task(...after).toString());
  });

  it("adds what is not there, and takes away what was not", () => {
    expect(changed(task(), "Done", ["a"])).toBe(
      task("status: Done", "labels:", "  - a").toString(),
    );
    expect(changed(task("status: Done", "labels:", "  - a # x", "y: 2"), null, [])).toBe(
      task("labels: []", "y: 2").toString(),
    );
  });

  it("reads what Backlog.md takes and is no YAML, and does not mind mistakes elsewhere", () => {
    const { fields } = new TaskText(
      task("status: In Progress", "assignee: @me", "priority: [high", "labels: [1, true, ü]"),
    );
    expect(fields).toEqual({
      id: "TASK-1",
      status: "In Progress",
      labels: ["1", "true", "ü"],
      assignee: ["@me"],
    });
  });

  it("leaves line ends, a byte order mark and bytes that are no text", () => {
    const bytes = Buffer.concat([
      Buffer.from("\uFEFF---\r\nid: TASK-1\r\nstatus: To Do\r\nlabels:\r\n  - a\r\n---\r\n"),
      Buffer.from([0xff, 0xfe, 0x0a, 0x00]),
    ]);
    const after = new TaskText(bytes).with("Done", ["a", "b"]);
    expect(after.toString("latin1")).toBe(
      bytes.toString("latin1").replace("To Do", "Done").replace("- a\r\n", "- a\r\n  - b\r\n"),
    );
  });

  it.each([
    ["", "does not begin"],
    ["# no front matter\n", "does not begin"],
    ["---\nid: TASK-1\n", "has no end"],
    ["---\nstatus: a\nstatus: b\n---\n", "status twice"],
    ["---\nstatus: {a: 1}\n---\n", "is not a string"],
    ["---\nlabels: {a: 1}\n---\n", "not a list of strings"],
    ["---\nlabels: [[a]]\n---\n", "not a list of strings"],
    ["---\nstatus: [Done\n---\n", "cannot be read"],
    ["---\nstatus: *nobody\n---\n", "is not a string"],
  ])("refuses what it cannot be sure about: %j", (text, why) => {
    const reading = (): TaskText => new TaskText(Buffer.from(text));
    expect(reading).toThrow(NoTask);
    expect(reading).toThrow(why);
  });

  it("refuses front matter that is not UTF-8", () => {
    expect(() => new TaskText(Buffer.from("---\nid: \xff\n---\n", "latin1"))).toThrow("not UTF-8");
  });

  it("says what it was told, whatever that is, and comes back to what it said", () => {
    const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 20 });
    const labels = fc.array(anyText, { maxLength: 4 });
    const start = task("status: 'To Do' # s", "labels: ['a', 'b'] # l", "x: 1");
    const { fields } = new TaskText(start);
    fc.assert(
      fc.property(anyText, labels, (status, list) => {
        const after = new TaskText(start).with(status, list);
        expect(new TaskText(after).fields).toMatchObject({ status, labels: list });
        expect(new TaskText(after).rest()).toEqual(new TaskText(start).rest());
        const back = new TaskText(after).with(fields.status, fields.labels);
        expect(new TaskText(back).fields).toEqual(fields);
      }),
    );
  });
});
