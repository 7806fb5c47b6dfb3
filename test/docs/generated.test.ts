import { expect, test } from 'bun:test'
import { basename } from 'node:path'
import { pages } from '../../docs/generate.ts'

test.each(pages().map((page) => ({ name: basename(page.path), ...page })))(
  '$name says what the program says; else run: bun docs/generate.ts',
  ({ is, shouldBe }) => {
    expect(is).toBe(shouldBe)
  },
)
