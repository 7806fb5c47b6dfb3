/**
 * The simulator: events are sent to a copy of an actor, or to a new one of a kind, and the path is highlighted on the
 * statechart. The address contains the whole simulation, so that it can be shared. Nothing is stored or executed.
 */
import { useMemo, useState } from 'react'
import { useParams } from 'wouter'
import { Chart } from '../../../charts/chart.tsx'
import { unlit } from '../../../charts/lit.ts'
import type { Selection } from '../../../charts/selection.ts'
import { type MachineResource, useActorMachine, useMachine } from '../../../charts/use-machine.ts'
import { at, organizationOf } from '../../../places.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { Failed, Loading, Notice } from '../../../ui/states.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { CopyButton, Json } from '../../../ui/text/code.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'
import { usePlace } from '../../../use-place.ts'
import { Beginning } from './beginning.tsx'
import { litPath } from './lit-path.ts'
import { Send } from './send.tsx'
import { Steps } from './steps.tsx'
import { type Subject, useSimulation } from './use-simulation.ts'
import '../moves.css'
import '../statecharts.css'
import '../actor/actor.css'
import './simulator.css'

export default function SimulatorPage() {
  const { kind = '', actorId } = useParams<{ kind: string; actorId?: string }>()
  return actorId ? <OfActor key={`${kind} ${actorId}`} kind={kind} id={actorId} /> : <OfKind key={kind} kind={kind} />
}

function OfKind({ kind }: { kind: string }) {
  const place = organizationOf(usePlace())
  return <Simulator subject={{ of: 'kind', kind }} machine={useMachine(kind)} up={at(place, 'statecharts', kind)} />
}

function OfActor({ kind, id }: { kind: string; id: string }) {
  const place = organizationOf(usePlace())
  const machine = useActorMachine(kind, id, '')
  return <Simulator subject={{ of: 'actor', kind, id }} machine={machine} up={at(place, 'statecharts', kind, id)} />
}

interface SimulatorProps {
  subject: Subject
  machine: MachineResource
  /** Address of the parent page. */
  up: string
}

export function Simulator({ subject, machine, up }: SimulatorProps) {
  const simulation = useSimulation(subject)
  const { setup, resource, isBroken } = simulation
  const outcome = resource.value
  const stepCount = outcome?.steps.length ?? 0
  // null: the newest step
  const [chosen, setChosen] = useState<number | null>(null)
  const shown = Math.min(chosen ?? stepCount, stepCount)
  const [selection, select] = useState<Selection>(null)
  const lit = useMemo(
    () => (outcome ? litPath(outcome, shown, machine.model?.edgeOf) : unlit),
    [outcome, shown, machine.model],
  )
  const take = (change: () => boolean): boolean => {
    setChosen(null)
    return change()
  }
  const failure = resource.failure ?? (machine.model ? undefined : machine.failure)
  const tabs = [
    {
      title: 'Send',
      content: () =>
        outcome && (
          <Send outcome={outcome} machine={machine.value} onStep={(step) => take(() => simulation.add(step))} />
        ),
    },
    { title: 'Steps', content: () => outcome && <Steps outcome={outcome} shown={shown} onShow={setChosen} /> },
    { title: 'Context', content: () => outcome && <Json label="context" value={outcome.end.context} /> },
    {
      title: 'Start',
      content: () => (
        <Beginning
          setup={setup}
          outcome={outcome}
          hasActor={subject.of === 'actor'}
          onChange={(changes) => take(() => simulation.change(changes))}
        />
      ),
    },
  ]
  return (
    <Page
      wide
      title="Simulator"
      badge={outcome?.end.state && <StateBadge state={outcome.end.state} />}
      about="Events are sent to a copy: nothing is stored or executed. The address contains the whole simulation."
      up={{ title: machine.value?.title ?? 'Statechart', href: up }}
      actions={<CopyButton text={globalThis.location?.href ?? ''} label="Copy the address of this simulation" />}
    >
      {isBroken && (
        <Notice icon="warning" title="No simulation at this address" urgent>
          The address is incomplete or was changed. Send an event to start a new simulation.
        </Notice>
      )}
      {failure && <Failed failure={failure} retry={resource.failure ? resource.refresh : machine.refresh} />}
      <div className="machine machine-live">
        <div className="stack actor-stage">
          {machine.model ? (
            <Chart
              model={machine.model}
              lit={lit}
              selection={selection}
              onSelect={select}
              height="var(--chart-height)"
            />
          ) : (
            <Loading />
          )}
          <section className="replay" aria-label="Simulation">
            <div className="row">
              <Button
                small
                disabled={setup.steps.length === 0}
                onClick={() => take(() => simulation.change({ steps: setup.steps.slice(0, -1) }))}
              >
                Undo
              </Button>
              <Button
                small
                disabled={setup.steps.length === 0}
                onClick={() => take(() => simulation.change({ steps: [] }))}
              >
                Start over
              </Button>
              <Button small disabled={shown === 0} onClick={() => setChosen(shown - 1)}>
                Step back
              </Button>
              <Button small disabled={shown >= stepCount} onClick={() => setChosen(shown + 1)}>
                Step forward
              </Button>
              <span className="faint simulator-place">
                Step {shown} of {stepCount}
                {outcome && (
                  <>
                    , <AbsoluteTime at={outcome.steps[shown - 1]?.at ?? outcome.start.at} />
                  </>
                )}
              </span>
            </div>
            {outcome && !outcome.complete && (
              <p role="status">
                The simulation stopped here at the limit of deadlines or changes. Later steps were not simulated.
              </p>
            )}
          </section>
        </div>
        <Tabs label="About this simulation" tabs={tabs} />
      </div>
    </Page>
  )
}
