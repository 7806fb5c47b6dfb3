/** Card of a plan. */
import { Button } from '../../../ui/forms/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import type { Payment } from './payment.ts'
import { type Price, priceText } from './price.ts'
import './billing.css'
import '../settings.css'

interface Plan {
  planKey: string
  name: string
  price: Price & { interval: string }
  minuteBudget: number | null
  features: readonly string[]
}

interface PlanCardProps {
  plan: Plan
  isCurrent: boolean
  hasContract: boolean
  mayChoose: boolean
  payment: Payment
}

export function PlanCard({ plan, isCurrent, hasContract, mayChoose, payment }: PlanCardProps) {
  const { planKey, name, price, minuteBudget, features } = plan
  const isFree = price.amount === 0
  return (
    <section className="surface card" aria-label={name} aria-current={isCurrent || undefined}>
      <h3>{name}</h3>
      <p className="price">
        {isFree ? 'Free' : priceText(price)} {!isFree && <small>per {price.interval}</small>}
      </p>
      <ul className="card-list">
        {!features.some((feature) => /\bminutes\b/i.test(feature)) && (
          <li>
            <Icon name="clock" />
            {minuteBudget === null
              ? 'Unlimited minutes'
              : `${minuteBudget.toLocaleString('en')} minutes per ${price.interval}`}
          </li>
        )}
        {features.map((feature) => (
          <li key={feature}>
            <Icon name="check" />
            <span>{feature}</span>
          </li>
        ))}
      </ul>
      <div className="card-foot">
        {isCurrent ? (
          <span className="faint">Your plan</span>
        ) : hasContract ? (
          <span className="faint">Change plans in the portal.</span>
        ) : (
          !isFree && (
            <Button
              tone="primary"
              disabled={!mayChoose}
              pending={payment.pending}
              onClick={() => payment.checkout(planKey)}
            >
              Choose {name}
            </Button>
          )
        )}
      </div>
    </section>
  )
}
