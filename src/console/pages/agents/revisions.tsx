/** The revisions of an Agent, and one of them as it was published. */
import { useState } from 'react'
import type { Agent, AgentRevision } from '../../../agents/schema.ts'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { Author } from '../../ui/author.tsx'
import { Button } from '../../ui/button.tsx'
import { Id, Json } from '../../ui/code.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

export function Revisions({ agent: { projectId, id: agentId } }: { agent: Agent }) {
  const api = useApi()
  const [looked, setLooked] = useState<AgentRevision>()
  const revisions = usePages(
    ['agents', projectId, agentId, 'revisions', 'list'],
    (options, query) =>
      api.v1
        .projects({ projectId })
        .agents({ agentId })
        .revisions.get({ ...options, query }),
    20,
  )
  return (
    <>
      <DataTable
        label="revisions"
        pages={revisions}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Number', cell: ({ number }) => <span className="number">{number}</span> },
          { title: 'Id', cell: ({ id }) => <Id id={id} /> },
          { title: 'Tools', align: 'end', cell: ({ content }) => content.tools?.length ?? 0 },
          { title: 'Grants', align: 'end', cell: ({ grantedOperations }) => grantedOperations.length },
          { title: 'Published', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'By', cell: ({ createdBy }) => <Author by={createdBy} /> },
          { title: 'Digest', cell: ({ contentDigest }) => <Id id={contentDigest} /> },
          {
            title: 'Contents',
            cell: (revision) => (
              <Button small aria-label={`Look at revision ${revision.number}`} onClick={() => setLooked(revision)}>
                Look
              </Button>
            ),
          },
        ]}
        empty={<Empty title="No revisions yet">Publish the first one.</Empty>}
      />
      <Dialog
        title={`Revision ${looked?.number ?? ''}`}
        shape="wide"
        open={looked !== undefined}
        onClose={() => setLooked(undefined)}
      >
        {looked && (
          <Json label="revision" value={{ content: looked.content, grantedOperations: looked.grantedOperations }} />
        )}
      </Dialog>
    </>
  )
}
