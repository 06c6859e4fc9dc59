import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { blocks, pieces, isSafeLink } = await load('chat/markdown.ts');

/** The tree as a line: text in quotes, elements as calls. `tests/browser` tries what becomes of it in a document. */
const line = (piece) => (typeof piece === 'string' ? JSON.stringify(piece)
  : `${piece.tag}${Object.entries(piece.with).map(([name, value]) => `[${name}=${value}]`).join('')}(${piece.in.map(line).join(' ')})`);
const tree = (text) => blocks(text).flatMap(pieces).map(line).join(' ');
const tags = (text) => [...tree(text).replaceAll(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/([a-z]\w*)(?=[[(])/g)].map(([tag]) => tag);

test('raw HTML is text', () => {
  for (const text of ['<script>alert(1)</script>', 'a <img src=x onerror=alert(1)> b', '<div onclick="x()">\n\nhi\n\n</div>', '<!-- x --><svg/onload=x>']) {
    assert.deepEqual(tags(text).filter((tag) => tag !== 'p'), [], text);
  }
  assert.equal(tree('<b>x</b>'), 'p("<b>" "x" "</b>")');
});

test('nothing loads by itself', () => {
  assert.equal(tree('![secret](https://example.org/p.png?q=1)'), 'p(a[href=https://example.org/p.png?q=1]("secret"))');
  assert.equal(tree('![x](javascript:1)'), 'p("x")');
});

test('every form of Markdown has its elements', () => {
  assert.equal(tree('**太字** と _em_ と ~~消~~ と `a < b`'), 'p(strong("太字") " と " em("em") " と " del("消") " と " code("a < b"))');
  assert.equal(tree('one\ntwo'), 'p("one" br() "two")');
  assert.equal(tree('- a\n  - b\n- [x] c'), 'ul(li("a" ul(li("b"))) li("☑ " "c"))');
  assert.equal(tree('3. a\n4. b'), 'ol[start=3](li("a") li("b"))');
  assert.equal(tree('1. a\n\n   b'), 'ol(li(p("a") p("b")))');
  assert.equal(tree('> q\n\n---'), 'blockquote(p("q")) hr()');
  assert.equal(tree('|a|b|\n|-|-|\n|1|*2*|'), 'table(thead(tr(th("a") th("b"))) tbody(tr(td("1") td(em("2")))))');
  assert.equal(tree('[a *b*](https://example.org "t") https://example.org'), 'p(a[href=https://example.org]("a " em("b")) " " a[href=https://example.org]("https://example.org"))');
  assert.equal(tree('a \\* b'), 'p("a " "*" " b")');
});

test('entities are what they stand for, but not in code, and never markup', () => {
  assert.equal(tree('a &amp;&nbsp;&#x3c;img&gt; &unknown; &#0; `&amp;`'), 'p("a &\u00a0<img> &unknown; &#0; " code("&amp;"))');
  assert.equal(tree('[a](javascript&colon;x) [b](https://example.org/?a=1&amp;b=2)'), 'p("a" " " a[href=https://example.org/?a=1&b=2]("b"))');
});

test('only links of the web and of mail can be followed', () => {
  for (const good of ['https://example.org/a?b=c#d', 'http://localhost:8787/', 'mailto:a@example.org']) assert.ok(isSafeLink(good), good);
  for (const bad of ['javascript:alert(1)', 'JaVaScRiPt:x', ' https://example.org', 'java\tscript:x', 'data:text/html,x', 'vbscript:x', '//example.org', '/api/me', '']) {
    assert.ok(!isSafeLink(bad), bad);
  }
  assert.doesNotMatch(tree('[a](javascript:alert(1)) [b](<java\nscript:x>) <javascript:alert(1)>'), /href/i);
});

test('an open code block is already one while it streams', () => {
  assert.equal(tree('```js\nconst a = "&amp;";'), 'pre(code[lang=js]("const a = \\"&amp;\\";"))');
});

test('headings begin below the page\'s own and skip no level', () => {
  const levels = (text) => tags(text).filter((tag) => /^h\d$/.test(tag)).map((tag) => Number(tag[1]));
  assert.deepEqual(levels('## a\n\n### b\n\n## c\n\n##### d\n\n# e'), [3, 4, 3, 4, 3]);
});

test('only the last block changes while a text grows', () => {
  const before = blocks('# A\n\npara one\n\npara t').map(({ raw }) => raw);
  const after = blocks('# A\n\npara one\n\npara two and').map(({ raw }) => raw);
  assert.deepEqual(after.slice(0, -1), before.slice(0, -1));
});
