import { useState } from 'preact/hooks';
import { permission } from '../../alerts/notification.js';
import { alertTexts } from '../../alerts/texts.js';

const words = alertTexts;

/** Says where alerts appear, and has the button that asks the user to permit notifications of the browser. */
export function NotificationChoice() {
  const [state, setState] = useState(permission);
  const ask = () => void Notification.requestPermission().then(setState);
  return (
    <div class="small muted notification-choice">
      <p>{words.where.how}</p>
      {state === 'default' ? (
        <button type="button" class="button" onClick={ask}>
          {words.where.default}
        </button>
      ) : (
        <p role="status">{words.where[state]}</p>
      )}
    </div>
  );
}
