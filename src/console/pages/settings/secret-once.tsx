/** A secret that is shown once, until dismissed. */
import type { ReactNode } from 'react'
import { Button } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Code } from '../../ui/text/code.tsx'

interface SecretOnceProps {
  title: string
  /** Accessible name of the secret. */
  label: string
  secret: string
  /** Usage notes. */
  children?: ReactNode
  /** Called when dismissed. */
  onDone: () => void
}

export const SecretOnce = ({ title, label, secret, children, onDone }: SecretOnceProps) => (
  // closes only by its button, so that a stray click does not lose the secret
  <Dialog title={title} open>
    <div className="banner banner-warning" role="status">
      <Icon name="warning" />
      <span>Copy it now. It will not be shown again.</span>
    </div>
    <Code text={secret} label={label} wrap />
    {children}
    <footer className="dialog-actions">
      <Button tone="primary" onClick={onDone} data-focus>
        I have stored it
      </Button>
    </footer>
  </Dialog>
)
