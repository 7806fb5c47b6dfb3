import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import { charts } from '../../machines/charts/all.ts'
import type { ChartOf } from '../../machines/charts/chart.ts'
import { deliveryChart } from '../../machines/delivery.ts'
import { explain } from '../../src/runtime/statecharts/explain.ts'

const machinesFolder = new URL('../../machines/', import.meta.url)

test('the list contains the chart of every file that makes a machine', async () => {
  const files = (await readdir(machinesFolder, { recursive: true })).filter((name) => name.endsWith('.ts'))
  const sources = await Promise.all(
    files.map(async (name) => [name, await Bun.file(new URL(name, machinesFolder)).text()] as const),
  )
  const made = sources.filter(([, text]) => text.includes('.createMachine(')).map(([name]) => basename(name, '.ts'))
  expect(charts.map(({ machine }) => machine.id).sort()).toEqual(made.sort())
})

test.each(charts.map((chart) => [chart.machine.id, chart] as const))(
  '%s describes no name that it does not have',
  (_, chart) => {
    const { events, guards, deadlines, effects } = explain(chart)
    expect(Object.keys(chart.guards).sort()).toEqual(guards.map(({ guard }) => guard).sort())
    expect(Object.keys(chart.deadlines).sort()).toEqual(deadlines.map(({ event }) => event).sort())
    expect(Object.keys(chart.effects).sort()).toEqual(effects.map(({ effect }) => effect).sort())
    const named = new Set(events.map(({ event }) => event))
    expect(Object.keys(chart.events).filter((event) => !named.has(event))).toEqual([])
  },
)

type DeliveryChart = ChartOf<(typeof deliveryChart)['machine']>

test('the compiler refuses a chart without the description of an event, a guard or a deadline', () => {
  const { retry: _, ...events } = deliveryChart.events
  const { backOffOver: __, ...guards } = deliveryChart.guards
  const refused: unknown[] = [
    // @ts-expect-error an event is missing
    { ...deliveryChart, events } satisfies DeliveryChart,
    // @ts-expect-error a guard is missing
    { ...deliveryChart, guards } satisfies DeliveryChart,
    // @ts-expect-error a deadline is missing
    { ...deliveryChart, deadlines: {} } satisfies DeliveryChart,
  ]
  expect(refused).toHaveLength(3)
  // what the compiler misses is missing for readers too
  expect(() => explain({ ...deliveryChart, events })).toThrow('does not explain retry')
  expect(() => explain({ ...deliveryChart, guards })).toThrow('does not explain backOffOver')
  expect(() => explain({ ...deliveryChart, deadlines: {} })).toThrow('does not explain leaseExpired')
  expect(() => explain({ ...deliveryChart, effects: {} })).toThrow('does not explain')
})
