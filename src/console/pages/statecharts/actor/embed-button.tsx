/** Issues a ticket for the live chart of an actor, and shows the `<iframe>` to paste into another page. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { Choice } from '../../../ui/forms/choice.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Code } from '../../../ui/text/code.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'

const lifetimes: [seconds: number, title: string][] = [
  [3_600, 'An hour'],
  [28_800, 'Eight hours'],
  [86_400, 'A day'],
]

interface EmbedButtonProps {
  kind: string
  id: string
  /** Title of the frame, for screen readers. */
  title: string
}

export function EmbedButton({ kind, id, title }: EmbedButtonProps) {
  const api = useApi()
  const [isOpen, setOpen] = useState(false)
  const [lifetime, setLifetime] = useState(String(lifetimes[0]?.[0]))
  const [issued, setIssued] = useState<{ url: string; expiresAt: string }>()
  const issue = useAction(
    () =>
      api.v1
        .actors({ kind })({ id })
        ['embed-tickets'].post({ lifetimeSeconds: Number(lifetime) }),
    { done: setIssued },
  )
  const close = () => {
    setOpen(false)
    setIssued(undefined)
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Embed</Button>
      <Dialog title="Embed this chart" open={isOpen} onClose={close}>
        <div className="stack">
          <p>
            Anyone with the address sees the statechart, the state and the transitions of this actor without signing in,
            until the ticket expires or your session ends. For longer, issue tickets on your server with an API key.
          </p>
          {issued ? (
            <>
              <Code
                label="frame"
                text={`<iframe src="${issued.url}" title="Live chart of the ${title}"></iframe>`}
                wrap
              />
              <p className="faint">
                Expires <AbsoluteTime at={issued.expiresAt} />. The server's TROUPE_EMBED_ANCESTORS names the pages that
                may frame it.
              </p>
            </>
          ) : (
            <footer className="form-actions">
              <Choice label="Lasts" value={lifetime} onChange={setLifetime}>
                {lifetimes.map(([seconds, title]) => (
                  <option key={seconds} value={seconds}>
                    {title}
                  </option>
                ))}
              </Choice>
              <Button tone="primary" pending={issue.pending} onClick={() => void issue.run()}>
                Issue a ticket
              </Button>
            </footer>
          )}
        </div>
      </Dialog>
    </>
  )
}
