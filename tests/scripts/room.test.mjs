import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonOf, roomIn, warningOf } from "../../scripts/lib/room.mjs";

test("a failure on a full disk says that the disk is full", () => {
  assert.match(reasonOf(3e6), /disk is full \(0\.0 GB left\)/);
  assert.equal(reasonOf(20e9), "");
});

test("little room is told before a first build, enough room is not", () => {
  assert.match(warningOf(2.2e9), /only 2\.2 GB are left/);
  assert.equal(warningOf(60e9), undefined);
});

test("the room of a folder is that of its disk", () => {
  assert.ok(roomIn(import.meta.dirname) > 0);
});
