/** Chooses a run to compare with: one of the same Agent's latest, or any run by its id. */
import { useState } from 'react'
import type { PresentedRun } from '../../../../runs/present.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'

const runForm = /run_[0-9a-z]{26}/

interface OtherRunProps {
  title: string
  like: PresentedRun | undefined
  onChoose: (runId: string) => void
}

export function OtherRun({ title, like, onChoose }: OtherRunProps) {
  const api = useApi()
  const [text, setText] = useState('')
  const filter = like && { agentId: like.agentId }
  const runs = useResource(['runs', 'list', 'compared', like?.agentId ?? ''], (options) =>
    api.v1['agent-runs'].get({
      ...options,
      query: { limit: 12, sort: 'createdAt', order: 'desc', include: ['summary'], ...filter },
    }),
  )
  const found = runForm.exec(text)?.[0]
  const latest = (runs.value?.agentRuns ?? []).filter(({ id }) => id !== like?.id)
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (found) onChoose(found)
      }}
    >
      <div className="field">
        <label htmlFor={`other ${title}`}>{title}</label>
        <span className="row">
          <input
            id={`other ${title}`}
            value={text}
            placeholder="run_… or its address"
            autoComplete="off"
            onChange={({ target }) => setText(target.value)}
          />
          <Button type="submit" disabled={!found}>
            Choose
          </Button>
        </span>
      </div>
      {runs.loading && <Loading rows={4} label="Loading runs" />}
      {latest.length > 0 && (
        <ul className="compare-latest" aria-label={like ? 'Latest runs of the same Agent' : 'Latest runs'}>
          {latest.map((run) => (
            <li key={run.id}>
              <button type="button" className="compare-choice" onClick={() => onChoose(run.id)}>
                <span className="ellipsis">{run.summary?.query ?? run.id}</span>
                <StateBadge state={run.state} />
                <Time at={run.createdAt} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  )
}
