import { expect, test } from 'bun:test'
import { pages } from '../../docs/generate.ts'

test.each(pages().map(({ page, is, shouldBe }) => [page, is, shouldBe] as const))(
  '%s says what the program says; else run: bun docs/generate.ts',
  (_page, is, shouldBe) => {
    expect(is).toBe(shouldBe)
  },
)
