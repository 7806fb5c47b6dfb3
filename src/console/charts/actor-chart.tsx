/** The live statechart of one actor, for other pages. */
import { actorAt } from '../places.ts'
import { LinkButton } from '../ui/forms/button.tsx'
import { Failed } from '../ui/states.tsx'
import { StreamNote } from '../ui/stream-note.tsx'
import { usePlace } from '../use-place.ts'
import { useActor } from './actor.ts'
import { Chart } from './chart.tsx'
import { roomyDirection } from './drawing/room.ts'
import type { ActorChartProps } from './props.ts'
import { useReplay } from './replay.ts'
import { useLit } from './use-lit.ts'
import { useActorMachine } from './use-machine.ts'

export default function ActorChart({ kind, id, height = 320 }: ActorChartProps) {
  const place = usePlace()
  const actor = useActor(kind, id)
  const machine = useActorMachine(kind, id, actor.state)
  const replay = useReplay(actor.journal)
  const lit = useLit(actor, replay, machine.model?.edgeOf)
  const missing = !actor.resource.value ? actor.resource : !machine.model ? machine : undefined
  if (missing?.failure) return <Failed failure={missing.failure} retry={missing.refresh} />
  return (
    <div className="chart-embedded">
      <Chart model={machine.model} lit={lit} height={height} direction={roomyDirection()} small />
      <span className="chart-embedded-note">
        <StreamNote live={actor.live} />
        <LinkButton small icon="chart" href={actorAt(place, kind, id)}>
          Replay
        </LinkButton>
      </span>
    </div>
  )
}
