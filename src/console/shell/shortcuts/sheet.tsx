/** The list of keyboard shortcuts. */
import { useId } from 'react'
import type { Place } from '../../places.ts'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Keys } from '../../ui/text/keys.tsx'
import { navigationOf } from '../navigation.ts'
import { everywhere, type Shortcut, turnSingleKeys, useSingleKeys } from './shortcuts.ts'
import './sheet.css'

interface SheetProps {
  place: Place
  open: boolean
  onClose: () => void
}

export const Sheet = ({ place, open, onClose }: SheetProps) => (
  <Dialog title="Keyboard shortcuts" shape="wide" open={open} onClose={onClose}>
    <Content place={place} />
  </Dialog>
)

function Content({ place }: { place: Place }) {
  const on = useSingleKeys()
  const id = useId()
  const groups = navigationOf(place).map(({ title, entries }) => ({
    title: `Go to: ${title}`,
    shortcuts: entries.flatMap(({ title, keys }): Shortcut[] => (keys ? [{ title, keys }] : [])),
  }))
  return (
    <>
      <div className="sheet">
        {[{ title: 'Everywhere', shortcuts: everywhere }, ...groups].map(({ title, shortcuts }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <dl>
              {shortcuts.map((shortcut) => (
                <div key={shortcut.title}>
                  <dt>{shortcut.title}</dt>
                  <dd>
                    <Keys keys={shortcut.keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <div className="row">
        <input id={id} type="checkbox" checked={on} onChange={({ target }) => turnSingleKeys(target.checked)} />
        <label htmlFor={id}>Single-key shortcuts, in this browser</label>
      </div>
    </>
  )
}
