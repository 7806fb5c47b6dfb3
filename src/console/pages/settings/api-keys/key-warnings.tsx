/** What to know about a key before it is made, and as the server says it afterwards. */
import { Icon } from '../../../ui/icon.tsx'

export interface Warning {
  code: string
  message: string
}

/** Said while the key is chosen; the server says the same once it is made. */
export const createsKeys: Warning = {
  code: 'creates_keys',
  message:
    'With api-keys:create this key may create further keys with any permissions: anyone who has it can do ' +
    'everything that you may.',
}

export const KeyWarnings = ({ warnings = [] }: { warnings?: readonly Warning[] | undefined }) =>
  warnings.map(({ code, message }) => (
    <div key={code} className="banner banner-warning" role="status">
      <Icon name="warning" />
      <span>{message}</span>
    </div>
  ))
