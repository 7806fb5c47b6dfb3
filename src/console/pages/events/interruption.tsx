/** Reason why the event list does not update, and the remedies. */
import { useState } from 'react'
import type { Baseline } from '../../../events/history/schema.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { Button } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Facts } from '../../ui/page.tsx'
import { useIds } from '../../use-place.ts'
import type { HistoryTail, Tail } from './history-tail.ts'

export function Interruption({ history, tail }: { history: HistoryTail; tail: Tail }) {
  const api = useApi()
  const { projectId, environmentId } = useIds('projectId', 'environmentId')
  const [baseline, setBaseline] = useState<Baseline>()
  const rebaseline = useAction(
    () => api.v1.projects({ projectId }).environments({ environmentId }).events.rebaseline.post(),
    {
      done: ({ baseline, resumeCursor }) => {
        setBaseline(baseline)
        history.startFrom(resumeCursor)
      },
    },
  )
  const { state, events, oldestSequence } = tail
  return (
    <>
      {state === 'more' && (
        <div className="banner banner-info" role="status">
          <Icon name="log" />
          <span>Loaded up to event {events.at(-1)?.sequence.toLocaleString('en')}. There are more events.</span>
          <Button small onClick={() => history.start()}>
            Load more
          </Button>
          <Button small onClick={() => history.startFromEnd()}>
            Jump to now
          </Button>
        </div>
      )}
      {state === 'gap' && (
        <div className="banner banner-warning" role="alert">
          <Icon name="warning" />
          <span>
            Events between the last one shown and event {oldestSequence?.toLocaleString('en')} have expired. A baseline
            shows the current state; new events follow from there.
          </span>
          <Button
            needs="webhooks:rebaseline"
            small
            tone="primary"
            pending={rebaseline.pending}
            onClick={() => rebaseline.run()}
          >
            Create baseline
          </Button>
          <Button small onClick={() => history.startFrom(undefined)}>
            Show retained events
          </Button>
        </div>
      )}
      {baseline && state !== 'gap' && <Taken baseline={baseline} />}
    </>
  )
}

/** Summary of a baseline. */
const Taken = ({
  baseline: { sequence, environment, agents, nonTerminalRuns, entities, truncated },
}: {
  baseline: Baseline
}) => (
  <section className="baseline" aria-label="Baseline">
    <p>State at event {sequence.toLocaleString('en')}. Later events are below.</p>
    <Facts
      facts={[
        ['Environment', environment.state],
        ['Generation', environment.generation],
        ['Agents', agents.length],
        ['Runs in progress', nonTerminalRuns.length],
        ['Entities', truncated ? `${entities.length}, and more` : entities.length],
      ]}
    />
  </section>
)
