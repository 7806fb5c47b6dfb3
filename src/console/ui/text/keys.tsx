/** Keys of a shortcut, as labelled on a keyboard. */
import './keys.css'

export const Keys = ({ keys }: { keys: readonly string[] }) => (
  <span className="keys">
    {keys.map((key, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a shortcut may have the same key twice
      <kbd key={place}>{key.length === 1 ? key.toUpperCase() : key}</kbd>
    ))}
  </span>
)
