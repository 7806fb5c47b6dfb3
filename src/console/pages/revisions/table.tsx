/** Table of revisions, with a view of each. */
import { useAddressQuery } from '../../address-query.ts'
import type { Pages } from '../../data/pages.ts'
import type { Resource } from '../../data/resource.ts'
import { Author } from '../../ui/author.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Empty, Shown } from '../../ui/states.tsx'
import { type Column, DataTable } from '../../ui/table.tsx'
import { Id, Json } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import type { Revision } from './revised.ts'

/** Page size. */
export const revisionsShown = 20

/** The revision in the address: `?view=revisions&revision=agr_…` */
export function useRevisionInAddress() {
  const { values, change } = useAddressQuery('revision')
  return { id: values.revision, ask: (id: string) => change({ revision: id }) }
}

interface RevisionTableProps<Each extends Revision> {
  pages: Pages<Each>
  /** The revision in the address. */
  asked: Resource<Each>
  /** Additional columns. */
  own?: Column<Each>[]
  digestOf: (revision: Each) => string
  contentsOf: (revision: Each) => unknown
}

export function RevisionTable<Each extends Revision>(props: RevisionTableProps<Each>) {
  const { pages, asked, own = [], digestOf, contentsOf } = props
  const { id, ask } = useRevisionInAddress()
  const looked = pages.items?.find((each) => each.id === id) ?? asked.value
  return (
    <>
      <DataTable
        label="revisions"
        pages={pages}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Number', cell: ({ number }) => <span className="number">{number}</span> },
          { title: 'ID', cell: ({ id }) => <Id id={id} /> },
          ...own,
          { title: 'Published', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Published by', cell: ({ createdBy }) => <Author by={createdBy} /> },
          { title: 'Digest', cell: (revision) => <Id id={digestOf(revision)} /> },
          {
            title: 'Contents',
            cell: (revision) => (
              <Button small aria-label={`View revision ${revision.number}`} onClick={() => ask(revision.id)}>
                View
              </Button>
            ),
          },
        ]}
        empty={<Empty title="No revisions yet">Publish the first one.</Empty>}
      />
      <Dialog
        title={looked ? `Revision ${looked.number}` : 'Revision'}
        shape="wide"
        open={id !== ''}
        onClose={() => ask('')}
      >
        {looked ? <Json label="revision" value={contentsOf(looked)} /> : <Shown resource={asked}>{() => null}</Shown>}
      </Dialog>
    </>
  )
}
