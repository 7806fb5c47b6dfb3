/** Activation history of an Environment, newest first, with rollback. */
import { useAccess } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { useReading } from '../../data/resource.ts'
import { at, type Place } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { ConfirmButton } from '../../ui/forms/confirm.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useActivation } from './activation.ts'
import { ActivationNote } from './activation-note.tsx'
import { ChangesByDeployment } from './changes/changes.tsx'
import { type Environment, useEnvironmentApi } from './environments.ts'
import { readServed } from './pinned.ts'

export function Activations({ place, environment }: { place: Place; environment: Environment }) {
  const api = useEnvironmentApi(environment)
  const { id: environmentId, activeDeploymentId, generation } = environment
  const activating = useActivation(environment)
  const activations = usePages(
    ['activations', environmentId, 'list'],
    (options, query) => api.activations.get({ ...options, query }),
    { limit: 20 },
  )
  return (
    <div className="stack">
      <ActivationNote activating={activating} environment={environment} />
      <DataTable
        label="activations"
        pages={activations}
        keyOf={({ id }) => id}
        href={({ deploymentId }) => at(place, 'deployments', deploymentId)}
        columns={[
          {
            title: 'Generation',
            cell: (activation) => (
              <span className="number">
                {activation.generation}
                <span className="visually-hidden">, Deployment</span>
              </span>
            ),
          },
          {
            title: 'Action',
            cell: ({ deploymentId }) => <What environment={environment} deploymentId={deploymentId} />,
          },
          { title: 'Activated', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Created by', cell: ({ createdBy }) => <Author by={createdBy} /> },
          {
            title: 'Result',
            cell: (activation) => {
              if (activation.generation === generation) return <StateBadge state="active" />
              if (activation.deploymentId === activeDeploymentId) return <span className="faint">Active again</span>
              return (
                <ConfirmButton
                  needs="activations:create"
                  small
                  tone="plain"
                  pending={activating.pending}
                  question={`Roll back to generation ${activation.generation}?`}
                  consequence={
                    <>
                      <p>
                        Its Deployment becomes active again, unchanged, as generation {generation + 1}. Runs in progress
                        stay with theirs.
                      </p>
                      <ChangesByDeployment environment={environment} deploymentId={activation.deploymentId} />
                    </>
                  }
                  confirm="Roll back"
                  onConfirm={() => activating.activate(activation.deploymentId)}
                >
                  Roll back
                </ConfirmButton>
              )
            },
          },
        ]}
        empty={
          <Empty icon="rocket" title="No Activations yet">
            An Activation makes a ready Deployment the active one.
          </Empty>
        }
      />
    </div>
  )
}

function What({ environment, deploymentId }: { environment: Environment; deploymentId: string }) {
  const access = useAccess()
  const { projectId, id: environmentId } = environment
  const { value, loading } = useReading(['pinned', deploymentId], () =>
    readServed(access, { projectId, environmentId }, deploymentId),
  )
  if (loading) return <span className="faint">…</span>
  if (!value) return <Id id={deploymentId} copy={false} />
  return (
    <span>
      Release {value.release.number} <span className="faint">with configuration {value.configuration.number}</span>
    </span>
  )
}
