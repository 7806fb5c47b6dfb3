/** A secret that the server shows this once. It stays on the screen until it is put away, and is nowhere afterwards. */
import type { ReactNode } from 'react'
import { Button } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Code } from '../../ui/text/code.tsx'

export interface SecretOnceProps {
  title: string
  /** What it is, for those who do not see it. */
  label: string
  secret: string
  /** What it is for, and how it is used. */
  children?: ReactNode
  /** Forgets it. */
  onDone: () => void
}

export const SecretOnce = ({ title, label, secret, children, onDone }: SecretOnceProps) => (
  // nothing but the button closes it: a click beside it would lose the secret
  <Dialog title={title} open>
    <div className="banner banner-warning" role="status">
      <Icon name="warning" />
      <span>Copy it now. It is never shown again.</span>
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
