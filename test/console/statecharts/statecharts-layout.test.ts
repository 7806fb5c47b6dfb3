/** Where everything of a statechart is drawn, and the picture that is made of that. */
import { expect, test } from 'bun:test'
import { charts } from '../../../machines/charts/all.ts'
import { drawingOf, type Palette } from '../../../src/console/charts/drawing/drawing.ts'
import { type Box, layOut } from '../../../src/console/charts/drawing/layout.ts'
import { type Machine, modelOf } from '../../../src/console/charts/model.ts'
import { describeChart } from '../../../src/runtime/statecharts/describe.ts'

const machines: Machine[] = charts.map(describeChart)

const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

test.each(machines.map((machine) => [machine.kind, machine] as const))(
  'no words of %s are on a state or on other words',
  async (_, machine) => {
    const model = modelOf(machine)
    const { states, edges } = await layOut(model, 'down')
    const labels = Object.values(edges).map(({ label }) => label!)
    const things = [...labels, ...Object.values(states)]
    const clashes = labels.flatMap((label) => things.filter((thing) => thing !== label && overlap(label, thing)))
    expect(clashes).toEqual([])
    expect(Object.keys(states)).toEqual(machine.states)
    expect(Object.values(edges).every(({ points }) => points.length >= 2)).toBe(true)
  },
)

const palette: Palette = {
  ground: '#fff',
  surface: '#fff',
  line: '#ccc',
  ink: '#000',
  inkSoft: '#333',
  inkFaint: '#666',
  deadline: '#850',
}

test('a picture stands by itself, and names in it are text', async () => {
  const hostile = '<script>alert(1)</script>'
  const model = modelOf({
    kind: 'entity',
    title: 'A & "B"',
    version: '1',
    states: [hostile, 'constructor'],
    transitions: [{ from: hostile, event: "'><image href=x>", guard: null, to: 'constructor', effects: [] }],
    deadlines: [],
  })
  const svg = drawingOf(model, await layOut(model, 'down'), palette)
  expect(svg).toStartWith('<svg xmlns="http://www.w3.org/2000/svg"')
  expect(svg).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(svg).toContain('<title>A &amp; &quot;B&quot;</title>')
  expect(svg).not.toMatch(/<script|<image|var\(/)
})
