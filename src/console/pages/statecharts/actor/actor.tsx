/** One live actor on its statechart: current state, transitions as they happen, journal, possible events. */
import { useMemo, useRef, useState } from 'react'
import { Link } from 'wouter'
import { type LiveActor, useActor } from '../../../charts/actor.ts'
import { Chart } from '../../../charts/chart.tsx'
import { useReplay } from '../../../charts/replay.ts'
import type { Selection } from '../../../charts/selection.ts'
import { useLit } from '../../../charts/use-lit.ts'
import { useActorMachine } from '../../../charts/use-machine.ts'
import { at, organizationOf } from '../../../places.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { LinkButton } from '../../../ui/forms/button.tsx'
import { Page } from '../../../ui/page.tsx'
import { Failed, Shown } from '../../../ui/states.tsx'
import { StreamNote } from '../../../ui/stream-note.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Id, Json } from '../../../ui/text/code.tsx'
import { useIds, usePlace } from '../../../use-place.ts'
import { pageOf } from '../page-of.ts'
import { EmbedButton } from './embed-button.tsx'
import { Journal } from './journal.tsx'
import { useMomentInAddress } from './moment.ts'
import { NextEvents } from './next-events.tsx'
import { ReplayBar } from './replay-bar.tsx'
import './actor.css'
import '../moves.css'
import '../statecharts.css'
import { Timers } from './timers.tsx'
import { VerifyButton } from './verify-button.tsx'

export default function ActorPage() {
  const { kind, actorId } = useIds('kind', 'actorId')
  // another actor remounts the page, with its own journal and replay
  return <OneActor key={`${kind} ${actorId}`} kind={kind} id={actorId} />
}

function OneActor({ kind, id }: { kind: string; id: string }) {
  const place = organizationOf(usePlace())
  const actor = useActor(kind, id)
  const machine = useActorMachine(kind, id, actor.state)
  const itself = pageOf(place, kind, id)
  const title = machine.value?.title ?? 'Actor'
  return (
    <Page
      wide
      title={title}
      badge={actor.state && <StateBadge state={actor.state} />}
      about={
        <span className="row">
          <Id id={id} />
          <StreamNote live={actor.live} />
        </span>
      }
      up={{ title: 'Statecharts', href: at(place, 'statecharts') }}
      actions={
        actor.resource.value && (
          <>
            <VerifyButton kind={kind} id={id} />
            <EmbedButton kind={kind} id={id} title={title.toLowerCase()} />
            <LinkButton icon="chart" href={at(place, 'statecharts', kind, id, 'simulator')}>
              Simulate
            </LinkButton>
            {itself && <LinkButton href={itself}>{`Open ${title.toLowerCase()}`}</LinkButton>}
          </>
        )
      }
    >
      <Shown resource={actor.resource}>
        {({ context }) => <Whole actor={actor} kind={kind} id={id} context={context} machine={machine} />}
      </Shown>
    </Page>
  )
}

interface WholeProps {
  actor: LiveActor
  machine: ReturnType<typeof useActorMachine>
  kind: string
  id: string
  context: Record<string, unknown>
}

function Whole({ actor, machine, kind, id, context }: WholeProps) {
  const place = organizationOf(usePlace())
  const replay = useReplay(actor.journal)
  useMomentInAddress(actor, replay)
  const lit = useLit(actor, replay, machine.model?.edgeOf)
  const [selection, select] = useState<Selection>(null)
  const stage = useRef<HTMLDivElement>(null)
  const row = useMemo(
    () => actor.journal.find(({ sequence }) => sequence === replay.position),
    [actor.journal, replay.position],
  )
  const tabs = [
    { title: 'Journal', content: () => <Journal actor={actor} replay={replay} /> },
    {
      title: 'Next',
      content: () => (
        <div className="stack">
          <Timers timers={actor.timers} refresh={actor.resource.refresh} />
          <NextEvents actor={actor} machine={machine.value} kind={kind} id={id} onSelect={select} />
        </div>
      ),
    },
    { title: 'Context', content: () => <Json label="context" value={context} /> },
  ]
  return (
    <div className="machine machine-live">
      <div className="stack actor-stage" ref={stage}>
        {machine.failure && !machine.model ? (
          <Failed failure={machine.failure} retry={machine.refresh} />
        ) : (
          <Chart
            model={machine.model}
            lit={lit}
            selection={selection}
            onSelect={select}
            stage={stage}
            height="var(--chart-height)"
          />
        )}
        <ReplayBar replay={replay} row={row} />
        <p className="faint">
          <Link href={at(place, 'statecharts', kind)}>Statechart of this kind</Link>, version{' '}
          {actor.resource.value?.machineVersion}
        </p>
      </div>
      <Tabs label="About this actor" tabs={tabs} />
    </div>
  )
}
