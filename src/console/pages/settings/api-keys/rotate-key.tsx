/** Rotates a key. The new secret is shown once; the old key can stay valid for a while. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { at, organizationOf } from '../../../places.ts'
import { useSession } from '../../../session/session.ts'
import { AbsoluteTime } from '../../../ui/time.tsx'
import { usePlace } from '../../../use-place.ts'
import { RotateDialog } from '../rotate-dialog.tsx'
import { SecretOnce } from '../secret-once.tsx'
import { KeyWarnings, type Warning } from './key-warnings.tsx'

interface Rotated {
  id: string
  secret: string
  warnings?: Warning[]
  previous: { status: string; expiresAt: string }
}

interface RotateKeyProps {
  apiKey: { id: string; name: string; createdBy: string; expiresAt: string }
  onClose: () => void
}

export function RotateKey({ apiKey: { id: keyId, name, createdBy, expiresAt }, onClose }: RotateKeyProps) {
  const api = useApi()
  const { session } = useSession()
  const place = organizationOf(usePlace())
  const [, navigate] = useLocation()
  const [rotated, setRotated] = useState<Rotated>()
  const rotate = useAction((overlapSeconds: number) => api.v1['api-keys']({ keyId }).rotate.post({ overlapSeconds }), {
    success: `${name} rotated`,
    changes: [['keys']],
    quiet: true,
    done: setRotated,
  })
  if (rotated !== undefined) {
    const { id, secret, warnings, previous } = rotated
    const done = () => {
      onClose()
      navigate(at(place, 'settings', 'keys', id))
    }
    return (
      <SecretOnce title="New API key" label="secret" secret={secret} onDone={done}>
        <KeyWarnings warnings={warnings} />
        <p>
          {previous.status === 'revoked' ? (
            'The old key is revoked.'
          ) : (
            <>
              The old key works until <AbsoluteTime at={previous.expiresAt} />.
            </>
          )}
        </p>
      </SecretOnce>
    )
  }
  return (
    <RotateDialog
      name={name}
      action={rotate}
      submit="Rotate key"
      usual={0}
      hint="Both keys work until then."
      onRotate={rotate.run}
      onClose={onClose}
    >
      <p>
        A new key with the same name, permissions and scope replaces this one. It expires at the same time:{' '}
        <AbsoluteTime at={expiresAt} />.
      </p>
      {createdBy !== session.user.id && <p>The new key acts as you, and is limited to your permissions.</p>}
    </RotateDialog>
  )
}
