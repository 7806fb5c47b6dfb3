import { expect, test } from 'bun:test'
import { basename } from 'node:path'
import { pages } from '../../docs/generate.ts'

test.each(pages().map((page) => ({ name: basename(page.path), ...page })))(
  '$name matches the program; else run: bun docs/generate.ts',
  ({ is, shouldBe }) => {
    expect(is).toBe(shouldBe)
  },
)
