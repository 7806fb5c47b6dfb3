/** Views of a list of runs: built-in and saved ones. Each is a query string. */
import { memo, useState } from 'react'
import { useSession } from '../../../../session/session.ts'
import { Button, IconButton } from '../../../../ui/forms/button.tsx'
import { Dialog } from '../../../../ui/forms/dialog.tsx'
import { CopyButton } from '../../../../ui/text/code.tsx'
import { useOpened } from '../../../../use-opened.ts'
import { usePlace } from '../../../../use-place.ts'
import { useSavedViews, type View } from './saved-views.ts'

interface ViewsProps {
  /** The current query string. */
  address: string
  show: (address: string) => void
}

const ofEverybody = (userId: string): View[] => [
  { name: 'All', address: '' },
  { name: 'Active', address: 'states=queued,acquiring,starting,running,canceling' },
  { name: 'Waiting', address: 'states=awaitingToolResult,awaitingDelegateResult' },
  { name: 'Failed', address: 'states=failed' },
  { name: 'Failed today', address: 'states=failed&within=24h' },
  { name: 'Mine', address: `createdBy=${userId}` },
]

const normal = (address: string) => new URLSearchParams(address).toString()

export const Views = memo(function Views({ address, show }: ViewsProps) {
  const { session } = useSession()
  const { organization } = usePlace()
  const { views, save, remove, isFull } = useSavedViews(session.user.id, organization)
  const all = [...ofEverybody(session.user.id), ...views].map((view) => ({ ...view, address: normal(view.address) }))
  const isKnown = all.some((view) => view.address === address)
  return (
    <nav className="run-views" aria-label="Views">
      {all.map((view, place) => (
        <span key={`${view.name} ${view.address}`} className="run-view">
          <a
            href={view.address === '' ? '?' : `?${view.address}`}
            className="run-view-link"
            aria-current={view.address === address ? 'true' : undefined}
            onClick={(event) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return
              event.preventDefault()
              show(view.address)
            }}
          >
            {view.name}
          </a>
          {place >= all.length - views.length && view.address === address && (
            <IconButton label={`Remove the view ${view.name}`} icon="close" small onClick={() => remove(view.name)} />
          )}
        </span>
      ))}
      {!isKnown && <SaveView address={address} isFull={isFull} save={save} />}
    </nav>
  )
})

function SaveView({ address, isFull, save }: { address: string; isFull: boolean; save: (view: View) => void }) {
  const [isOpen, setOpen] = useOpened('view')
  const [name, setName] = useState('')
  return (
    <>
      <Button small icon="plus" tone="quiet" disabled={isFull} onClick={() => setOpen(true)}>
        Save view
      </Button>
      <Dialog title="Save this view" open={isOpen} onClose={() => setOpen(false)}>
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            const trimmed = name.trim()
            if (trimmed === '') return
            save({ name: trimmed, address })
            setName('')
            setOpen(false)
          }}
        >
          <div className="field">
            <label htmlFor="view-name">Name</label>
            <input
              id="view-name"
              value={name}
              maxLength={60}
              autoComplete="off"
              placeholder="Failed in production"
              onChange={({ target }) => setName(target.value)}
            />
          </div>
          <p className="faint">
            Saved in this browser only. To share it, copy the address{' '}
            <CopyButton text={`${location.origin}${location.pathname}?${address}`} label="Copy the address" />
          </p>
          <footer className="dialog-actions">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button type="submit" tone="primary" disabled={name.trim() === ''}>
              Save
            </Button>
          </footer>
        </form>
      </Dialog>
    </>
  )
}
