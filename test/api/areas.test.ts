/** Every area with a file of its own has its operations in the API. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { areas } from '../../src/areas.ts'

const root = join(import.meta.dir, '../../src')
const files = [...new Bun.Glob('**/area.ts').scanSync(root)].filter((file) => file !== 'platform/area.ts').sort()

test('there are areas', () => expect(files.length).toBeGreaterThan(10))

test.each(files)('%s is listed in src/areas.ts', async (file) => {
  const made: object[] = Object.values(await import(join(root, file)))
  expect(made.length).toBeGreaterThan(0)
  expect(made.filter((area) => !(areas as readonly object[]).includes(area))).toEqual([])
})
