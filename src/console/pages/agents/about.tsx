/** Name, description and deletion of an Agent. */
import type { Agent } from '../../../authoring/agents/schema.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { at, projectOf } from '../../places.ts'
import { Id } from '../../ui/text/code.tsx'
import { usePlace } from '../../use-place.ts'
import { About, End } from '../revisions/about.tsx'
import { changesOf } from '../revisions/revised.ts'

export function AgentName({ agent }: { agent: Agent }) {
  const api = useApi()
  const { projectId, id: agentId, slug } = agent
  const change = useAction(
    (body: { name?: string; description?: string | null }) =>
      api.v1.projects({ projectId }).agents({ agentId }).patch(body),
    { success: 'Agent updated', changes: changesOf('agents', projectId), quiet: true },
  )
  return <About kind="agents" thing={agent} mark={['Slug', <code key="slug">{slug}</code>]} change={change} />
}

interface Dependent {
  type: string
  id: string
}

export function AgentEnd({ agent }: { agent: Agent }) {
  const api = useApi()
  const place = usePlace()
  const { projectId, id: agentId, name } = agent
  const remove = useAction(() => api.v1.projects({ projectId }).agents({ agentId }).delete(), {
    success: `${name} is being removed`,
    changes: changesOf('agents', projectId),
    opens: () => at(projectOf(place), 'agents'),
  })
  const dependents = remove.failure?.code === 'agent_in_use' ? (remove.failure.details.dependents as Dependent[]) : []
  return (
    <End
      kind="agents"
      thing={agent}
      about="Its revisions and runs are deleted too. An Agent that active resources depend on cannot be deleted."
      consequence="Its revisions and runs are deleted too."
      remove={remove}
    >
      {dependents.length > 0 && (
        <div role="alert">
          <p>Dependents:</p>
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
    </End>
  )
}
