/** The actors of a kind: counts and times by state, and the actors that have been longest in their state. */

import { heats, type Population } from '../../../charts/drawing/population.ts'
import type { ChartModel } from '../../../charts/model.ts'
import { isState, type Selection } from '../../../charts/selection.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Shown } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
import { durationText, Time } from '../../../ui/time.tsx'
import { ActorList } from './actor-list.tsx'
import './fleet.css'
import type { PopulationResource } from './use-population.ts'

interface FleetProps {
  model: ChartModel
  resource: PopulationResource
  population: Population | undefined
  selection: Selection
  onSelect: (selection: Selection) => void
}

const seconds = (value: number | null) => (value === null ? '–' : durationText(value * 1_000))

export function Fleet({ model, resource, population, selection, onSelect }: FleetProps) {
  const state = selection !== null && 'state' in selection ? selection.state : null
  return (
    <section className="section fleet" aria-label="Actors">
      <h2>Actors</h2>
      <Shown resource={resource}>
        {({ states }) => (
          <>
            <Table
              label="Actors by state"
              items={states}
              keyOf={(each) => each.state}
              columns={[
                {
                  title: 'State',
                  cell: (each) => (
                    <button
                      type="button"
                      className="fleet-state"
                      aria-pressed={isState(selection, each.state)}
                      onClick={() => onSelect(isState(selection, each.state) ? null : { state: each.state })}
                    >
                      <StateBadge state={each.state} />
                    </button>
                  ),
                },
                { title: 'Actors', align: 'end', cell: ({ count }) => count.toLocaleString('en') },
                { title: 'Oldest since', cell: ({ oldestSince }) => <Time at={oldestSince} /> },
                { title: 'p50', align: 'end', cell: ({ secondsInState }) => seconds(secondsInState.p50) },
                { title: 'p95', align: 'end', cell: ({ secondsInState }) => seconds(secondsInState.p95) },
                {
                  title: 'Oldest actor',
                  cell: (each) => <HeatOf populated={population?.get(each.state)} />,
                },
              ]}
            />
            <Legend />
            <ActorList kind={model.kind} state={state} />
          </>
        )}
      </Shown>
    </section>
  )
}

function HeatOf({ populated }: { populated: { heat: string } | undefined }) {
  if (!populated || populated.heat === 'none') return <span className="faint none">–</span>
  return <HeatBadge heat={populated.heat as keyof typeof heats} />
}

const HeatBadge = ({ heat }: { heat: keyof typeof heats }) => (
  <span className={`fleet-heat chart-heat-${heat}`}>
    <span aria-hidden="true">{heats[heat].mark} </span>
    {heat}
  </span>
)

const Legend = () => (
  <ul className="fleet-legend" aria-label="Legend">
    {(Object.keys(heats) as (keyof typeof heats)[]).map((heat) => (
      <li key={heat}>
        <HeatBadge heat={heat} /> {heats[heat].means}
      </li>
    ))}
  </ul>
)
