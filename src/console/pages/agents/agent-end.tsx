/** The end of an Agent, and what stands in its way. */
import { useLocation } from 'wouter'
import type { Agent } from '../../../agents/schema.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { at, projectOf } from '../../places.ts'
import { Id } from '../../ui/code.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Section } from '../../ui/page.tsx'
import { usePlace } from '../../use-place.ts'

interface Dependent {
  type: string
  id: string
}

export function AgentEnd({ agent: { projectId, id: agentId, name, status } }: { agent: Agent }) {
  const api = useApi()
  const place = usePlace()
  const [, navigate] = useLocation()
  const remove = useAction(() => api.v1.projects({ projectId }).agents({ agentId }).delete(), {
    success: `${name} is being removed`,
    changes: [
      ['agents', projectId],
      ['parts', projectId],
    ],
    done: () => navigate(at(projectOf(place), 'agents')),
  })
  const dependents = remove.failure?.code === 'agent_in_use' ? (remove.failure.details.dependents as Dependent[]) : []
  return (
    <Section title="End">
      <div className="panel">
        <p>It goes with its revisions and its runs. While something live depends on it, it stays.</p>
        {dependents.length > 0 && (
          <div role="alert">
            <p>These depend on it:</p>
            <ul className="revision-list">
              {dependents.map(({ type, id }) => (
                <li key={id}>
                  <span className="row">
                    {type} <Id id={id} />
                  </span>
                </li>
              ))}
            </ul>
          </div>
        )}
        <div className="row">
          <ConfirmButton
            pending={remove.pending}
            disabled={status === 'deleting'}
            question={`Delete ${name}?`}
            consequence={<p>Its revisions and its runs are removed too. This cannot be taken back.</p>}
            typed={name}
            confirm="Delete it for good"
            onConfirm={() => remove.run()}
          >
            Delete this agent
          </ConfirmButton>
        </div>
      </div>
    </Section>
  )
}
