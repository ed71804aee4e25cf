// Koa with a constant answer: a lower bound for the start time of a Node.js service.
import Koa from 'koa';

const app = new Koa();
app.use((ctx) => {
  ctx.body = { success: true };
});
const server = app.listen(0, '127.0.0.1', () => process.stdout.write(`ready at http://127.0.0.1:${server.address().port}\n`));
