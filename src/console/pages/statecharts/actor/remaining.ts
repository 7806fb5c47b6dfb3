/** Formats the time until a deadline. */
import { durationText } from '../../../ui/time.tsx'

/** `2 days 3 h`, `4 h 5 min`, `3 min 20 s`, `12 s` */
export function remainingText(milliseconds: number): string {
  const days = Math.floor(milliseconds / 86_400_000)
  if (days > 0) return `${days} ${days === 1 ? 'day' : 'days'} ${Math.floor((milliseconds % 86_400_000) / 3_600_000)} h`
  return milliseconds < 60_000 ? `${Math.ceil(milliseconds / 1_000)} s` : durationText(milliseconds)
}
