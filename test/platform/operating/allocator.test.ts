/** The allocator is set alike wherever a server is started. Source: `docs/decisions.md`, "Memory is returned late". */
import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const root = join(import.meta.dir, '../../..')

test.each(['package.json', 'Dockerfile', 'deploy/troupe.service'])('%s', async (file) => {
  const text = await readFile(join(root, file), 'utf8')
  const started = file === 'package.json' ? (JSON.parse(text).scripts.start as string) : text
  const settings = [...started.matchAll(/\bMIMALLOC_\w+=\S+/g)].map(([setting]) => setting)
  expect(settings).toEqual(['MIMALLOC_PURGE_HOLES=0', 'MIMALLOC_PURGE_DELAY=10000'])
})
