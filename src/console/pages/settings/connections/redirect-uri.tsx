/** Redirect URI to register at the provider. */
import { CopyButton } from '../../../ui/text/code.tsx'
import '../settings.css'

export const RedirectUri = ({ uri }: { uri: string }) => (
  <div className="field">
    <strong>Redirect URI</strong>
    <span className="value-copy">
      <code>{uri}</code>
      <CopyButton text={uri} label="Copy the redirect URI" />
    </span>
  </div>
)
