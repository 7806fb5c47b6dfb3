/** Promotes the active Release to another Environment, or rolls back: each starts an Apply, whose page shows the progress. */
import { useState } from 'react'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { at, type Place, projectOf } from '../../places.ts'
import { ConfirmButton } from '../../ui/forms/confirm.tsx'
import { ConfirmAction } from '../../ui/forms/confirm-action.tsx'
import { type Environment, kindNames, useEnvironmentApi } from '../delivery/environments.ts'

interface RollBackProps {
  place: Place
  environment: Environment
  /** Set if a page has several of these buttons, so that an address cannot identify one. */
  small?: boolean
}

export function RollBack({ place, environment, small = false }: RollBackProps) {
  const api = useEnvironmentApi(environment)
  const { id: environmentId, projectId } = environment
  // the first Deployment has no predecessor
  if (environment.activeDeploymentId === null || environment.generation < 2) return null
  return (
    <ConfirmAction
      needs="deployments:create"
      tone="plain"
      small={small}
      {...(!small && { asked: 'roll-back' })}
      question={`Roll back ${kindNames[environment.kind]}?`}
      consequence={<p>The Deployment that served before serves again. Runs in progress stay with theirs.</p>}
      confirm="Roll back"
      act={() => api.rollback.post({})}
      options={{
        changes: [
          ['applies', environmentId],
          ['environments', projectId],
        ],
        opens: ({ id }) => at(place, 'applies', id),
      }}
    >
      {small ? 'Roll back' : 'Roll back one step'}
    </ConfirmAction>
  )
}

interface PromoteToProps {
  place: Place
  from: Environment
  to: Environment
  /** The active Release of the source, which the promotion would deploy. */
  release: number
}

/** Promotes the active Release of another Environment to this one. */
export function PromoteTo({ place, from, to, release }: PromoteToProps) {
  const promote = usePromotion(place, from)
  const [source, target] = [kindNames[from.kind], kindNames[to.kind]]
  return (
    <ConfirmButton
      needs="deployments:create"
      small
      tone="primary"
      icon="rocket"
      pending={promote.pending}
      question={`Promote Release ${release} from ${source} to ${target}?`}
      consequence={<p>{promotion}</p>}
      confirm="Promote"
      onConfirm={() => promote.run(to.id)}
    >
      {`Promote Release ${release}`}
    </ConfirmButton>
  )
}

const promotion =
  'The Release is deployed with the configuration of that Environment. What is missing there is reported before anything changes.'

function usePromotion(place: Place, { id: fromEnvironmentId, projectId }: Environment) {
  const api = useApi()
  return useAction(
    (toEnvironmentId: string) => api.v1.promotions.post({ projectId, fromEnvironmentId, toEnvironmentId }),
    {
      changes: [['applies'], ['environments', projectId]],
      opens: ({ id, environmentId }) => at({ ...projectOf(place), environmentId }, 'applies', id),
    },
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
  const promote = usePromotion(place, environment)
  const [chosen, setChosen] = useState<string>()
  // by default from Development to Preview, and from Preview to Production
  const next = others.find(({ kind }) => kind > environment.kind) ?? others[0]
  const toEnvironmentId = chosen ?? next?.id ?? ''
  if (environment.activeDeploymentId === null || !next) return null
  return (
    <ConfirmButton
      needs="deployments:create"
      tone="primary"
      icon="rocket"
      asked="promote"
      pending={promote.pending}
      question="Promote the active Release?"
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
          <p>{promotion}</p>
        </>
      }
      confirm="Promote"
      onConfirm={() => promote.run(toEnvironmentId)}
    >
      Promote
    </ConfirmButton>
  )
}
