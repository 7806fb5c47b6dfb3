/** The Grafana dashboard queries metrics that `/metrics` has, and the pages explain all of them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTroupe, type Troupe } from '../support/troupe.ts'

interface Panel {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; legendFormat: string }[]
}
const dashboard = JSON.parse(readFileSync(join(import.meta.dir, '../../deploy/grafana-dashboard.json'), 'utf8')) as {
  panels: Panel[]
  templating: { list: { name: string; query: unknown }[] }
}
const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const))

let troupe: Troupe
/** The labels of each sampled metric, by the name of the sample. */
const samples = new Map<string, Set<string>>()
const names = new Set<string>()
const families: string[] = []
beforeAll(async () => {
  troupe = await openTroupe({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' } })
  await troupe.owner.get('/api/v1/agent-runs/run_01kb000000e000000000000000')
  const { body } = await troupe.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' })
  await troupe.owner.get(`/api/v1/agent-runs/${body.data.id}`, { query: { waitSeconds: 20 } })
  const text = await (await fetch(`${troupe.url}/metrics`)).text()
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    families.push(name)
    const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    for (const suffix of suffixes) names.add(name + suffix)
  }
  for (const [, name, labels = ''] of text.matchAll(/^([a-z0-9_]+)(?:\{(.*)\})? \S+$/gm)) {
    const known = samples.get(name as string) ?? new Set()
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label as string)
    samples.set(name as string, known)
  }
})
afterAll(() => troupe.stop())

test.each(queries)('%s: %s', (_, expr) => {
  const asked = [...expr.matchAll(/\b(troupe_\w+)(?:\{([^}]*)\})?/g)]
  expect(asked.length).toBeGreaterThan(0)
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => String(labels).split(', '))
  for (const [, name = '', selectors = ''] of asked) {
    expect(names).toContain(name)
    const known = samples.get(name)
    expect(known).toBeDefined()
    const labels = [...selectors.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label]) => label as string)
    // Prometheus adds the server's name
    for (const label of [...labels, ...grouped]) if (label !== 'instance') expect([...(known ?? [])]).toContain(label)
  }
})

test('the pages for operators explain every metric', () => {
  const pages = ['operating', 'observability'].map((name) =>
    readFileSync(join(import.meta.dir, `../../docs/${name}.md`), 'utf8'),
  )
  // those of the process and of Node.js have the conventional names
  const own = families.filter((name) => !/^troupe_(?:process|nodejs)_/.test(name))
  expect(own.length).toBeGreaterThan(20)
  expect(own.filter((name) => !pages.some((page) => page.includes(`\`${name}`)))).toEqual([])
})

test('panels do not overlap, and each has a descriptive title', () => {
  const cells = new Map<string, string>()
  for (const { type, title, description, gridPos } of dashboard.panels) {
    expect(title).not.toBe('')
    if (type !== 'row') expect(description?.length).toBeGreaterThan(10)
    const { x, y, w, h } = gridPos
    expect(x + w).toBeLessThanOrEqual(24)
    for (let column = x; column < x + w; column += 1) {
      for (let line = y; line < y + h; line += 1) {
        expect(cells.get(`${column}/${line}`)).toBeUndefined()
        cells.set(`${column}/${line}`, title)
      }
    }
  }
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'instance'])
})
