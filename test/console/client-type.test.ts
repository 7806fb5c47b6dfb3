/** The console's client knows every area of the API. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '../../src')

test('every area of src/areas.ts is part of the type in src/console/api/server-type.ts', async () => {
  const areas = await Bun.file(join(root, 'areas.ts')).text()
  const type = await Bun.file(join(root, 'console/api/server-type.ts')).text()
  const names = [...areas.matchAll(/^ {2}(?:\.\.\.)?(\w+Routes)\(/gm)].map(([, name]) => name!)
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !type.includes(`RoutesOf<typeof ${name}>`))).toEqual([])
})
