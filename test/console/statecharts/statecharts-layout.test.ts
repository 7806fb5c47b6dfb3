/** The picture that is made of a statechart and its layout. */
import { expect, test } from 'bun:test'
import { charts } from '../../../machines/charts/all.ts'
import { drawingOf, type Palette } from '../../../src/console/charts/drawing/drawing.ts'
import { layoutOf } from '../../../src/console/charts/drawing/layouts.ts'
import { type Machine, modelOf } from '../../../src/console/charts/model.ts'
import { describeChart } from '../../../src/runtime/statecharts/describe.ts'
import { makeLayouts } from '../../../src/runtime/statecharts/layouts/generate.ts'

const palette: Palette = {
  ground: '#fff',
  surface: '#fff',
  line: '#ccc',
  ink: '#000',
  inkSoft: '#333',
  inkFaint: '#666',
  deadline: '#850',
  tones: { good: '#0a0', bad: '#a00', busy: '#00a', waiting: '#aa0', idle: '#aaa' },
}

test('a picture stands by itself, and names in it are text', async () => {
  const hostile = '<script>alert(1)</script>'
  const machine: Machine = {
    kind: 'entity',
    title: 'A & "B"',
    version: '1',
    states: [hostile, 'constructor'],
    groups: [{ name: '<img>', parent: null, states: [hostile] }],
    transitions: [
      {
        from: hostile,
        event: "'><image href=x>",
        guard: null,
        to: 'constructor',
        effects: [],
        declaredAt: '<img>',
        declaredTo: 'constructor',
      },
    ],
    deadlines: [],
  }
  const svg = drawingOf(modelOf(machine), (await makeLayouts(machine)).down, palette)
  expect(svg).toStartWith('<svg xmlns="http://www.w3.org/2000/svg"')
  expect(svg).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(svg).toContain('&lt;img&gt;')
  expect(svg).toContain('<title>A &amp; &quot;B&quot;</title>')
  expect(svg).not.toMatch(/<script|<ima?ge?|var\(/)
})

test.each(charts.map((chart) => [chart.machine.id, describeChart(chart)] as const))(
  'the picture of %s has every state, group and text of the layout that the server made',
  async (_, machine) => {
    const model = modelOf(machine)
    const layout = await layoutOf(model, 'right')
    expect(layout).toBe(machine.layouts!.right)
    const svg = drawingOf(model, layout, palette)
    const texts = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) =>
      text!.replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
    )
    const lines = model.edges.flatMap(({ label }) => label.map(({ text }) => text))
    for (const wanted of [...machine.states, ...lines]) expect(texts.join('\n')).toContain(wanted)
    for (const { name } of machine.groups) expect(texts.join('\n').toLowerCase()).toContain(name.toLowerCase())
  },
)
