import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

// DOMPurify needs a document; what stands before it doesn't. `tests/browser` tries both together.
const { blocks, blockHtml, isSafeLink } = await load('chat/markdown.ts');
const html = (text) => blocks(text).map(blockHtml).join('');

test('raw HTML is shown, not run', () => {
  for (const text of ['<script>alert(1)</script>', 'a <img src=x onerror=alert(1)> b', '<div onclick="x()">\n\nhi\n\n</div>', '<!-- x --><svg/onload=x>']) {
    assert.doesNotMatch(html(text), /<(script|img|div|svg|!--)/i, text);
  }
});

test('nothing loads by itself', () => {
  const shown = html('![secret](https://example.org/p.png?q=1)');
  assert.doesNotMatch(shown, /<img/);
  assert.match(shown, />secret<\/a>/);
});

test('only links of the web and of mail can be followed', () => {
  for (const good of ['https://example.org/a?b=c#d', 'http://localhost:8787/', 'mailto:a@example.org']) assert.ok(isSafeLink(good), good);
  for (const bad of ['javascript:alert(1)', 'JaVaScRiPt:x', ' https://example.org', 'java\tscript:x', 'data:text/html,x', 'vbscript:x', '//example.org', '/api/me', '']) {
    assert.ok(!isSafeLink(bad), bad);
  }
  assert.doesNotMatch(html('[a](javascript:alert(1)) [b](<java\nscript:x>) <javascript:alert(1)>'), /href="j/i);
});

test('an address can\'t leave its attribute', () => {
  assert.doesNotMatch(html('[a](https://example.org/"onmouseover="x)'), /"onmouseover=/);
});

test('an open code block is already one while it streams', () => {
  assert.match(html('```js\nconst a = 1;'), /<pre><code class="language-js">/);
});

test('only the last block changes while a text grows', () => {
  const before = blocks('# A\n\npara one\n\npara t').map(({ raw }) => raw);
  const after = blocks('# A\n\npara one\n\npara two and').map(({ raw }) => raw);
  assert.deepEqual(after.slice(0, -1), before.slice(0, -1));
});
