/** Promote what serves to another Environment, or roll it back: each begins an Apply, whose page shows how it goes. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { at, type Place, projectOf } from '../../places.ts'
import { ConfirmButton } from '../../ui/forms/confirm.tsx'
import { type Environment, kindNames, useEnvironmentApi } from '../delivery/environments.ts'

export function RollBack({ place, environment }: { place: Place; environment: Environment }) {
  const [, go] = useLocation()
  const api = useEnvironmentApi(environment)
  const { id: environmentId, projectId } = environment
  const rollBack = useAction(() => api.rollback.post({}), {
    changes: [
      ['applies', environmentId],
      ['environments', projectId],
    ],
    done: ({ id }) => go(at(place, 'applies', id)),
  })
  // the first Deployment has none before it
  if (environment.activeDeploymentId === null || environment.generation < 2) return null
  return (
    <ConfirmButton
      tone="plain"
      asked="roll-back"
      pending={rollBack.pending}
      question={`Roll back ${kindNames[environment.kind]}?`}
      consequence={<p>The Deployment that served before serves again. Runs in progress stay with theirs.</p>}
      confirm="Roll back"
      onConfirm={() => rollBack.run()}
    >
      Roll back one step
    </ConfirmButton>
  )
}

export function Promote({
  place,
  environment,
  others,
}: {
  place: Place
  environment: Environment
  others: readonly Environment[]
}) {
  const [, go] = useLocation()
  const api = useApi()
  const { id: fromEnvironmentId, projectId } = environment
  const [chosen, setChosen] = useState<string>()
  // from Development to Preview to Production, unless somebody chooses
  const next = others.find(({ kind }) => kind > environment.kind) ?? others[0]
  const toEnvironmentId = chosen ?? next?.id ?? ''
  const promote = useAction(() => api.v1.promotions.post({ projectId, fromEnvironmentId, toEnvironmentId }), {
    changes: [
      ['applies', toEnvironmentId],
      ['environments', projectId],
    ],
    done: ({ id }) => go(at({ ...projectOf(place), environmentId: toEnvironmentId }, 'applies', id)),
  })
  if (environment.activeDeploymentId === null || !next) return null
  return (
    <ConfirmButton
      tone="primary"
      icon="rocket"
      asked="promote"
      pending={promote.pending}
      question="Promote what serves here?"
      consequence={
        <>
          <div className="field">
            <label htmlFor="promotion-target">To</label>
            <select id="promotion-target" value={toEnvironmentId} onChange={({ target }) => setChosen(target.value)}>
              {others.map(({ id, kind }) => (
                <option key={id} value={id}>
                  {kindNames[kind]}
                </option>
              ))}
            </select>
          </div>
          <p>
            The Release goes there with the configuration of that Environment. What it lacks is told before anything
            changes.
          </p>
        </>
      }
      confirm="Promote"
      onConfirm={() => promote.run()}
    >
      Promote
    </ConfirmButton>
  )
}
