/** Buttons and button-like links. */
import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link } from 'wouter'
import type { Permission } from '../../../platform/http/guard/permissions.ts'
import { lackingText, useLacks } from '../../session/permissions.ts'
import { Icon, type IconName } from '../icon.tsx'

export type ButtonTone = 'primary' | 'plain' | 'danger' | 'quiet'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: ButtonTone
  icon?: IconName
  small?: boolean
  /** Shows a spinner and ignores clicks. */
  pending?: boolean
  /** The permission that its action needs: without it the button is disabled, and says why. */
  needs?: Permission
}

type PlainProps = Omit<ButtonProps, 'needs'>

const classOf = (tone: ButtonTone, small: boolean, more = '') =>
  `button button-${tone}${small ? ' button-small' : ''} ${more}`.trim()

export const Button = ({ needs, ...props }: ButtonProps) =>
  needs ? <LimitedButton {...props} permission={needs} /> : <PlainButton {...props} />

/** It can have the focus while it is disabled, so that everybody can read why. */
function LimitedButton({ permission, ...props }: PlainProps & { permission: Permission }) {
  const lacks = useLacks(permission)
  return <PlainButton {...props} {...(lacks && { title: lackingText(permission), ignored: true })} />
}

/** `ignored`: clicks have no effect. */
function PlainButton(props: PlainProps & { ignored?: boolean }) {
  const { tone = 'plain', icon, small = false, pending = false, ignored = pending, ...others } = props
  const { className, children, onClick, ...rest } = others
  return (
    <button
      type="button"
      {...rest}
      className={classOf(tone, small, className)}
      aria-busy={pending || undefined}
      aria-disabled={ignored || undefined}
      onClick={ignored ? (event) => event.preventDefault() : onClick}
    >
      {pending ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** The primary button of a page, which starts something new. */
export const NewButton = (props: ButtonProps) => <Button {...props} tone="primary" icon="plus" />

interface LinkButtonProps {
  href: string
  tone?: ButtonTone
  icon?: IconName
  small?: boolean
  children: ReactNode
}

export const LinkButton = ({ href, tone = 'plain', icon, small = false, children }: LinkButtonProps) => (
  <Link href={href} className={classOf(tone, small)}>
    {icon && <Icon name={icon} />}
    {children}
  </Link>
)

/** An icon button; its label is read out and shown as tooltip. */
export const IconButton = ({ label, icon, ...rest }: { label: string; icon: IconName } & ButtonProps) => (
  <Button {...rest} tone={rest.tone ?? 'quiet'} className="button-icon" aria-label={label} title={label} icon={icon} />
)
