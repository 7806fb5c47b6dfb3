/** Table of revisions, with a view of each. */
import { useState } from 'react'
import type { Pages } from '../../data/pages.ts'
import { Author } from '../../ui/author.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, DataTable } from '../../ui/table.tsx'
import { Id, Json } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import type { Revision } from './revised.ts'

/** Page size. */
export const revisionsShown = 20

interface RevisionTableProps<Each extends Revision> {
  pages: Pages<Each>
  /** Additional columns. */
  own?: Column<Each>[]
  digestOf: (revision: Each) => string
  contentsOf: (revision: Each) => unknown
}

export function RevisionTable<Each extends Revision>(props: RevisionTableProps<Each>) {
  const { pages, own = [], digestOf, contentsOf } = props
  const [looked, setLooked] = useState<Each>()
  return (
    <>
      <DataTable
        label="revisions"
        pages={pages}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Number', cell: ({ number }) => <span className="number">{number}</span> },
          { title: 'Id', cell: ({ id }) => <Id id={id} /> },
          ...own,
          { title: 'Published', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Published by', cell: ({ createdBy }) => <Author by={createdBy} /> },
          { title: 'Digest', cell: (revision) => <Id id={digestOf(revision)} /> },
          {
            title: 'Contents',
            cell: (revision) => (
              <Button small aria-label={`View revision ${revision.number}`} onClick={() => setLooked(revision)}>
                View
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
        {looked && <Json label="revision" value={contentsOf(looked)} />}
      </Dialog>
    </>
  )
}
