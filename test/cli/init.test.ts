/** `troupe init`: each template's files are applied unchanged, and its worker executes the operations that Agents call. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Troupe } from '@troupe/sdk'
import { findTemplate, servedBy, templateNames } from '../../cli/templates/manifest-of.ts'
import { eventually } from '../support/process.ts'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'
import { data, type Loose } from '../support/world/replies.ts'
import { endCommands, type Home, openHome } from './command.ts'

let server: Server
let home: Home
let troupe: Troupe
beforeAll(async () => {
  server = await openTroupe()
  home = await openHome({ TROUPE_URL: server.url, TROUPE_API_KEY: server.key })
  troupe = new Troupe({ baseUrl: server.url, apiKey: server.key })
})
afterAll(async () => {
  await endCommands()
  await server?.stop()
  await home?.remove()
})

/** A call for each template's worker: the calling Agent, and the output or the file that it writes. */
const calls: Record<string, [agent: string, operation: string, input: object, output: unknown, file: string]> = {
  'support-desk': [
    'support-desk',
    'orders.find',
    { orderNumber: 'A-17' },
    { orderNumber: 'A-17', paid: 42 },
    'orders.json',
  ],
  'incident-assistant': [
    'incident-assistant',
    'monitoring.alerts',
    { since: '2026-01-01T00:00:00Z', service: 'payments' },
    { alerts: [{ service: 'payments' }] },
    'alerts.json',
  ],
  'invoice-extraction': [
    'invoice-reader',
    'books.record',
    { supplier: 'Ink & Co', number: '7', total: 9.5 },
    { recorded: true },
    'invoices.csv',
  ],
  'meeting-summarizer': ['meeting-summarizer', 'tasks.add', { task: 'Call Tom' }, { added: true }, 'tasks.md'],
  'release-notes': ['release-notes-writer', 'repository.change', { number: 7 }, { number: 7 }, 'issues/7.md'],
  'research-team': [
    'researcher',
    'library.search',
    { words: 'bridges joints' },
    { found: [{ file: 'bridges.md' }] },
    'library/bridges.md',
  ],
  tutor: [
    'tutor',
    'progress.record',
    { skill: 'fractions', level: 'with-help', evidence: 'Two of three.' },
    { recorded: true },
    'progress.jsonl',
  ],
}

test('every template has a call here', () => {
  expect(Object.keys(calls).sort()).toEqual([...templateNames].sort())
})

describe.each(Object.entries(calls))('%s', (slug, [agent, operation, input, output, file]) => {
  test('is written, applied unchanged, and executes an operation', async () => {
    const folder = join(home.folder, slug)
    const written = await home.run('init', slug, '--folder', slug, '--json')
    expect(written.json()).toMatchObject({ files: ['troupe.yaml', 'worker.ts'], project: slug })
    const cwd = folder
    expect(await home.start(['apply'], { cwd }).ended).toMatchObject({ code: 0 })
    if (slug === 'release-notes') {
      await Bun.write(join(folder, 'issues/7.md'), '# The lamp flickers\n')
    }

    const { queue, operations } = await servedBy(findTemplate(slug)!)
    const worker = home.start(['worker', 'worker.ts', '--on', `${slug}/development`], { cwd })
    await worker.says(new RegExp(`Serving the queue ${queue}`))
    expect(operations).toContain(operation)
    const [project] = (await troupe.projects.list({ slug })).items
    const [environment] = (await troupe.environments.list({ projectId: project!.id })).items
    const [called] = (await troupe.agents.list({ projectId: project!.id, slug: agent })).items
    const path = `/api/v1/projects/${project!.id}/environments/${environment!.id}`
    const begun = await data(
      server.owner.post(`${path}/agents/${called!.id}/operations/${operation}/invoke`, { input }),
    )
    const made = await eventually('the answer of the worker', async () => {
      const invocation = await data<Loose>(server.owner.get(`${path}/operation-invocations/${begun.id}`))
      return ['succeeded', 'failed'].includes(invocation.state) && invocation
    })
    expect(made).toMatchObject({ state: 'succeeded', output })
    expect(existsSync(join(folder, file))).toBe(true)
    worker.process.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
  })
})

describe('errors', () => {
  test('never overwrites a file, and then writes nothing', async () => {
    writeFileSync(join(home.folder, 'worker.ts'), 'mine')
    const { code, stderr } = await home.run('init', 'tutor')
    expect([code, stderr]).toEqual([2, expect.stringContaining('worker.ts is there already; nothing was written.')])
    expect(existsSync(join(home.folder, 'troupe.yaml'))).toBe(false)
    expect(readFileSync(join(home.folder, 'worker.ts'), 'utf8')).toBe('mine')
  })

  test.each([
    [['init', 'nobody'], 'There is no template nobody.'],
    [['init', 'tutor', '--project', 'No Slug', '--folder', 'x'], 'is not a slug'],
    [['init'], 'name a template'],
    [['worker', 'missing.ts', '--on', 'tutor/development'], 'There is no file missing.ts.'],
  ])('%j', async (words, said) => {
    const { code, stderr } = await home.run(...words)
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
  })

  test('a worker that cannot be run is named', async () => {
    writeFileSync(join(home.folder, 'broken.mjs'), 'throw new Error("no key for the shop")')
    const { code, stderr } = await home.run('worker', 'broken.mjs', '--on', 'tutor/development')
    expect([code, stderr]).toEqual([2, expect.stringContaining('broken.mjs cannot be run: no key for the shop')])
  })
})
