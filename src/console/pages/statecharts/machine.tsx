/** The statechart of one kind: chart, tables, population, comparison and export. */
import { useState } from 'react'
import type { Direction } from '../../../runtime/statecharts/layouts/chart-layout.ts'
import { Chart } from '../../charts/chart.tsx'
import type { ChartModel } from '../../charts/model.ts'
import type { Selection } from '../../charts/selection.ts'
import { type FullMachine, useMachine } from '../../charts/use-machine.ts'
import { at, organizationOf } from '../../places.ts'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Shown } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { CompareWithFile } from './compare/compare-with-file.tsx'
import { Fleet } from './fleet/fleet.tsx'
import { usePopulation } from './fleet/use-population.ts'
import { Meanings } from './meanings.tsx'
import { MoveTable } from './move-table.tsx'
import { Prose } from './prose.tsx'
import { StateTable } from './state-table.tsx'
import './moves.css'
import './statecharts.css'
import { ExportChart } from './actor/export-chart.tsx'

export default function StatechartPage() {
  const { kind } = useIds('kind')
  const place = organizationOf(usePlace())
  const machine = useMachine(kind)
  return (
    <Page
      wide
      title={machine.value?.title ?? 'Statechart'}
      up={{ title: 'Statecharts', href: at(place, 'statecharts') }}
      actions={
        <LinkButton icon="chart" href={at(place, 'statecharts', kind, 'simulator')}>
          Simulate
        </LinkButton>
      }
    >
      <Shown resource={machine}>{(value) => machine.model && <Whole machine={value} model={machine.model} />}</Shown>
    </Page>
  )
}

function Whole({ machine, model }: { machine: FullMachine; model: ChartModel }) {
  const [selection, select] = useState<Selection>(null)
  const [direction, turn] = useState<Direction>('down')
  const { population, resource } = usePopulation(machine)
  const tabs = [
    {
      title: 'Transitions',
      content: () => <MoveTable machine={machine} selection={selection} onSelect={select} />,
    },
    {
      title: 'States',
      content: () => <StateTable machine={machine} model={model} selection={selection} onSelect={select} />,
    },
    { title: 'Reference', content: () => <Meanings words={machine} /> },
    { title: 'Compare', content: () => <CompareWithFile machine={machine} /> },
    { title: 'Export', content: () => <ExportChart machine={machine} model={model} direction={direction} /> },
  ]
  return (
    <>
      <div className="machine">
        <Chart
          model={model}
          selection={selection}
          onSelect={select}
          population={population}
          direction={direction}
          onTurn={turn}
          height="var(--chart-height)"
        />
        <div className="stack">
          <p className="machine-about">
            <Prose>{machine.about}</Prose>
          </p>
          <Tabs label="About this statechart" tabs={tabs} />
        </div>
      </div>
      <Fleet model={model} resource={resource} population={population} selection={selection} onSelect={select} />
    </>
  )
}
