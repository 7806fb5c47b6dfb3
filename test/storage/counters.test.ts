/** Counters, on each engine. */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Counter } from '../../storage/counters.ts'
import { StoreUnavailable } from '../../storage/errors.ts'
import { onEachEngine } from './engines/each-engine.ts'

onEachEngine((opened) => {
  describe('counters', () => {
    test('give each number once, also to concurrent callers', async () => {
      const counters = [new Counter(opened.store, 'steps'), new Counter(opened.store, 'steps')]
      const numbers = await Promise.all(Array.from({ length: 30_000 }, (_, index) => counters[index % 2]?.take()))
      expect(new Set(numbers).size).toBe(30_000)
      expect(Math.min(...(numbers as number[]))).toBe(1)
    })
    test('count separately for each name', async () => {
      expect([await new Counter(opened.store, 'a').take(), await new Counter(opened.store, 'b').take()]).toEqual([1, 1])
    })
    test('give no number twice after a restart or from another process', async () => {
      const counter = new Counter(opened.store, 'steps')
      const numbers = [await counter.take(), await counter.take()]
      await opened.store.close()
      for (let round = 0; round < 2; round += 1) {
        const child = Bun.spawn(
          [process.execPath, join(import.meta.dir, 'engines/numberer.ts'), opened.place.address, '10500'],
          {
            stdout: 'pipe',
          },
        )
        numbers.push(...(await new Response(child.stdout).text()).trim().split('\n').map(Number))
        expect(await child.exited).toBe(0)
      }
      await opened.reopen()
      numbers.push(await new Counter(opened.store, 'steps').take())
      expect(numbers).toHaveLength(21_003)
      expect(new Set(numbers).size).toBe(numbers.length)
    })
    test('fail while the store fails, and continue afterwards', async () => {
      const counter = new Counter(opened.store, 'steps')
      await opened.store.close()
      await expect(counter.take() as Promise<number>).rejects.toBeInstanceOf(StoreUnavailable)
      await opened.reopen()
      expect(await new Counter(opened.store, 'steps').take()).toBe(1)
    })
  })
})
