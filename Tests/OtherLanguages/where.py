import asyncio
import locationd

async def main():
    async for location in locationd.locations():
        accuracy = location.horizontal_accuracy
        print(f"{location.latitude:.5f} {location.longitude:.5f}", f"± {accuracy:.1f} m" if accuracy else "")

asyncio.run(main())
