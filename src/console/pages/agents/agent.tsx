/** Agent: latest revision, all revisions, new revision. */
import type { Agent, AgentRevision } from '../../../authoring/agents/schema.ts'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { useResource } from '../../data/resource.ts'
import { Shown } from '../../ui/states.tsx'
import { useIds } from '../../use-place.ts'
import { RevisionTable, revisionsShown, useRevisionInAddress } from '../revisions/table.tsx'
import { newestMax, RevisedThing } from '../revisions/thing.tsx'
import { AgentEnd, AgentName } from './about.tsx'
import { AgentOverview } from './agent-overview.tsx'
import { Publish } from './publish.tsx'

export default function AgentPage() {
  const api = useApi()
  const { projectId, agentId } = useIds('projectId', 'agentId')
  const agent = useResource(['agents', projectId, agentId], (options) =>
    api.v1.projects({ projectId }).agents({ agentId }).get(options),
  )
  return <Shown resource={agent}>{(agent) => <One key={agent.id} agent={agent} />}</Shown>
}

const contentsOf = ({ content, grantedOperations }: AgentRevision) => ({ content, grantedOperations })

function One({ agent }: { agent: Agent }) {
  const api = useApi()
  const { projectId, id: agentId, slug } = agent
  const { revisions } = api.v1.projects({ projectId }).agents({ agentId })
  const newest = useResource(['agents', projectId, agentId, 'revisions', 'newest'], (options) =>
    revisions.get({ ...options, query: { limit: newestMax } }),
  )
  return (
    <RevisedThing
      kind="agents"
      thing={agent}
      mark={<code className="faint">{slug}</code>}
      newest={newest}
      whenEmpty="A revision holds the Agent's instructions and permissions. Releases pin revisions."
      latest={(revision) => <AgentOverview agent={agent} revision={revision} />}
      revisions={() => <Revisions agent={agent} />}
      contentsOf={contentsOf}
      publish={(latest, published) => <Publish key={latest?.id} agent={agent} latest={latest} published={published} />}
      about={() => (
        <>
          <AgentName agent={agent} />
          <AgentEnd agent={agent} />
        </>
      )}
    />
  )
}

function Revisions({ agent: { projectId, id: agentId } }: { agent: Agent }) {
  const api = useApi()
  const { revisions } = api.v1.projects({ projectId }).agents({ agentId })
  const pages = usePages(
    ['agents', projectId, agentId, 'revisions', 'list'],
    (options, query) => revisions.get({ ...options, query }),
    { limit: revisionsShown },
  )
  const { id: revisionId } = useRevisionInAddress()
  const asked = useResource(
    revisionId === '' ? null : ['agents', projectId, agentId, 'revisions', revisionId],
    (options) => revisions({ revisionId }).get(options),
  )
  return (
    <RevisionTable
      pages={pages}
      asked={asked}
      own={[
        { title: 'Tools', align: 'end', cell: ({ content }) => content.tools?.length ?? 0 },
        { title: 'Grants', align: 'end', cell: ({ grantedOperations }) => grantedOperations.length },
      ]}
      digestOf={({ contentDigest }) => contentDigest}
      contentsOf={contentsOf}
    />
  )
}
